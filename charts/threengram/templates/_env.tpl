{{/* Environment variables. Names are those of the settings classes: camelCase below `settings` becomes THREENGRAM_<SERVICE>_SNAKE_CASE. */}}

{{/* A value as the text of a variable: lists joined by commas, whole numbers without a fraction or exponent. */}}
{{- define "threengram.text" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if and (kindIs "float64" .) (eq . (floor .)) -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/* `settings` and `secretSettings` as variables; takes a dict: prefix, settings, secretSettings. */}}
{{- define "threengram.env.settings" -}}
{{- $prefix := .prefix -}}
{{- range $name, $value := .settings }}
- name: {{ $prefix }}_{{ snakecase $name | upper }}
  {{- if and (kindIs "slice" $value) $value (kindIs "map" (first $value)) }}
  value: {{ toJson $value | quote }}
  {{- else }}
  value: {{ include "threengram.text" $value | quote }}
  {{- end }}
{{- end }}
{{- range $name, $source := .secretSettings }}
- name: {{ $prefix }}_{{ snakecase $name | upper }}
  valueFrom:
    secretKeyRef:
      name: {{ $source.secret }}
      key: {{ $source.key }}
{{- end }}
{{- end -}}

{{/* What every service is told; takes a dict: root, prefix, pod, listens. */}}
{{- define "threengram.env.process" -}}
- name: {{ .prefix }}_INSTANCE
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- if .listens }}
- name: {{ .prefix }}_HOST
  value: {{ .pod.listenHost | quote }}
{{- end }}
- name: {{ .prefix }}_ADMIN_HOST
  value: {{ .pod.listenHost | quote }}
- name: {{ .prefix }}_LOG_LEVEL
  value: {{ .root.Values.logLevel }}
{{- with .root.Values.otlpEndpoint }}
- name: {{ $.prefix }}_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The runtime role's URL; takes a list: root, prefix. Its password is beside it, where libpq looks, since one of any characters has no place in a URL. */}}
{{- define "threengram.env.database" -}}
{{- $root := index . 0 -}}
{{- $prefix := index . 1 -}}
{{- if $root.Values.externalDatabase.enabled -}}
- name: {{ $prefix }}_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.externalDatabase.existingSecret }}
      key: {{ $root.Values.externalDatabase.runtimeUrlKey }}
{{- if $root.Values.externalDatabase.preparedStatements }}
{{ include "threengram.env.preparedStatements" $prefix }}
{{- end }}
{{- else -}}
{{- $pooler := $root.Values.database.pooler -}}
{{- $role := $root.Values.database.roles.runtime.name -}}
{{- $host := include "threengram.database.host" $root -}}
- name: PGPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "threengram.database.runtimeSecret" $root }}
      key: password
- name: {{ $prefix }}_DATABASE_URL
  value: postgresql://{{ $role }}@{{ $host }}:5432/{{ $root.Values.database.name }}?sslmode={{ $root.Values.database.sslMode }}
{{- if or (not $pooler.enabled) $pooler.preparedStatements }}
{{ include "threengram.env.preparedStatements" $prefix }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* That statements may be prepared behind the URL, which short-lived programs never do; takes the prefix. */}}
{{- define "threengram.env.preparedStatements" -}}
{{- if ne . "THREENGRAM_MANAGE" -}}
- name: {{ . }}_DATABASE_PREPARED_STATEMENTS
  value: "true"
{{- end -}}
{{- end -}}

{{/* The owner's URL, past the pooler; takes a list: root, prefix. */}}
{{- define "threengram.env.ownerUrl" -}}
{{- $root := index . 0 -}}
{{- $prefix := index . 1 -}}
{{- $database := $root.Values.database -}}
{{- if $root.Values.externalDatabase.enabled -}}
- name: {{ $prefix }}_OWNER_URL
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.externalDatabase.existingSecret }}
      key: {{ $root.Values.externalDatabase.ownerUrlKey }}
{{- else -}}
- name: PGPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "threengram.database.ownerSecret" $root }}
      key: password
- name: {{ $prefix }}_OWNER_URL
  value: postgresql://{{ $database.roles.owner.name }}@{{ include "threengram.database.cluster" $root }}-rw:5432/{{ $database.name }}?sslmode={{ $database.sslMode }}
{{- end -}}
{{- end -}}

{{/* What the migrations are told of roles; takes the root. Whoever makes the database for us manages its roles' passwords. */}}
{{- define "threengram.env.roles" -}}
{{- $external := .Values.externalDatabase -}}
{{- $roles := .Values.database.roles -}}
- name: THREENGRAM_MIGRATIONS_RUNTIME_ROLE
  value: {{ ternary $external.runtimeRole $roles.runtime.name $external.enabled }}
{{- if $external.enabled }}
- name: THREENGRAM_MIGRATIONS_RUNTIME_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $external.existingSecret }}
      key: {{ $external.runtimePasswordKey }}
      optional: true
{{- end }}
{{- with ternary $external.retiredRoles $roles.retired $external.enabled }}
- name: THREENGRAM_MIGRATIONS_RETIRED_ROLES
  value: {{ join "," . | quote }}
{{- end }}
{{- end -}}

{{/* The URL of Valkey or Redis; takes a list: root, prefix. */}}
{{- define "threengram.env.redis" -}}
{{- $root := index . 0 -}}
{{- $prefix := index . 1 -}}
{{- if $root.Values.externalRedis.enabled -}}
- name: {{ $prefix }}_REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.externalRedis.existingSecret }}
      key: {{ $root.Values.externalRedis.urlKey }}
{{- else -}}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "threengram.valkey.secret" $root }}
      key: {{ $root.Values.valkey.passwordKey }}
- name: {{ $prefix }}_REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ include "threengram.name" (list $root "valkey") }}:6379/0
{{- end -}}
{{- end -}}

{{/* Where the embedder is, if there is one; takes a list: root, prefix. */}}
{{- define "threengram.env.embedder" -}}
{{- $root := index . 0 -}}
{{- if $root.Values.embedder.enabled -}}
- name: {{ index . 1 }}_EMBEDDER_URL
  value: http://{{ include "threengram.name" (list $root "embedder") }}:{{ $root.Values.embedder.service.port }}
{{- end -}}
{{- end -}}

{{/* What gateway and api have in common; takes a list: root, prefix. */}}
{{- define "threengram.env.edge" -}}
{{- $root := index . 0 -}}
{{- $prefix := index . 1 -}}
- name: {{ $prefix }}_PUBLIC_URL
  value: {{ $root.Values.urls.gateway | quote }}
- name: {{ $prefix }}_ISSUER_URL
  value: {{ $root.Values.urls.api | quote }}
- name: {{ $prefix }}_CURSOR_KEY
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.secrets.cursorKey.existingSecret | default (include "threengram.name" (list $root "cursor-key")) }}
      key: {{ $root.Values.secrets.cursorKey.key }}
{{- end -}}

{{/* The private key that signs tokens; takes a list: root, prefix. */}}
{{- define "threengram.env.signingKey" -}}
{{- $root := index . 0 -}}
- name: {{ index . 1 }}_SIGNING_KEY
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.secrets.signingKey.existingSecret | default (include "threengram.name" (list $root "signing-key")) }}
      key: {{ $root.Values.secrets.signingKey.key }}
{{- end -}}
