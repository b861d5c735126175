{{/* Names, labels and selectors. Selectors are immutable in Kubernetes: nothing that an upgrade may change is in them. */}}

{{- define "threengram.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The name of an object of one component; takes a list: root, component. */}}
{{- define "threengram.name" -}}
{{- printf "%s-%s" (include "threengram.fullname" (index . 0)) (index . 1) -}}
{{- end -}}

{{/* What selects the pods of this release; with a component, of that component. Takes a list: root, component or "". */}}
{{- define "threengram.selector" -}}
app.kubernetes.io/name: threengram
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of an object; takes a list: root, component or "". */}}
{{- define "threengram.labels" -}}
{{- $root := index . 0 -}}
{{ include "threengram.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: threengram
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The whole reference of an image; takes a list: root, image of a component. A digest wins over a tag. */}}
{{- define "threengram.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- $registry := $image.registry | default $root.Values.image.registry -}}
{{- with $registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest -}}
@{{ $image.digest }}
{{- else -}}
:{{ $image.tag | default $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- end -}}
{{- end -}}
