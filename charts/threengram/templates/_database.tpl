{{/* Names of what CloudNativePG makes; take the root. */}}
{{- define "threengram.database.cluster" -}}
{{- include "threengram.name" (list . "db") -}}
{{- end -}}

{{- define "threengram.database.pooler" -}}
{{- printf "%s-pooler" (include "threengram.database.cluster" .) -}}
{{- end -}}

{{/* Where services connect: the pooler, or the primary. */}}
{{- define "threengram.database.host" -}}
{{- if .Values.database.pooler.enabled -}}
{{- include "threengram.database.pooler" . -}}
{{- else -}}
{{- include "threengram.database.cluster" . }}-rw
{{- end -}}
{{- end -}}

{{/* The Secret of a role that the chart makes; each role has its own, so that two may take turns. Takes a list: root, role. */}}
{{- define "threengram.database.roleSecret" -}}
{{- printf "%s-%s" (include "threengram.database.cluster" (index . 0)) (index . 1 | replace "_" "-" | lower) -}}
{{- end -}}

{{- define "threengram.database.ownerSecret" -}}
{{- $owner := .Values.database.roles.owner -}}
{{- $owner.existingSecret | default (include "threengram.database.roleSecret" (list . $owner.name)) -}}
{{- end -}}

{{- define "threengram.database.runtimeSecret" -}}
{{- $runtime := .Values.database.roles.runtime -}}
{{- $runtime.existingSecret | default (include "threengram.database.roleSecret" (list . $runtime.name)) -}}
{{- end -}}

{{- define "threengram.valkey.secret" -}}
{{- .Values.valkey.existingSecret | default (include "threengram.name" (list . "valkey")) -}}
{{- end -}}

{{/* The configuration of an object store for the Barman Cloud plugin. */}}
{{- define "threengram.objectStore" -}}
destinationPath: {{ .destinationPath | quote }}
{{- with .endpointUrl }}
endpointURL: {{ . | quote }}
{{- end }}
s3Credentials:
  {{- if .credentialsSecret }}
  accessKeyId:
    name: {{ .credentialsSecret }}
    key: {{ .accessKeyIdKey }}
  secretAccessKey:
    name: {{ .credentialsSecret }}
    key: {{ .secretAccessKeyKey }}
  {{- else }}
  inheritFromIAMRole: true
  {{- end }}
wal:
  compression: gzip
data:
  compression: gzip
{{- end -}}
