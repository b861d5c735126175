{{/*
Who may talk to whom: the one list from which both ends of every path are made. Each entry: from, to, port; components by
name, `worker` for all of them. Takes the root, gives a JSON list.
*/}}
{{- define "threengram.paths" -}}
{{- $paths := list -}}
{{- $database := list "db" 5432 -}}
{{- if .Values.database.pooler.enabled -}}
{{- $database = list "pooler" 5432 -}}
{{- end -}}
{{- $inside := not .Values.externalDatabase.enabled -}}
{{- range list "gateway" "api" "worker" "beat" -}}
{{- if $inside -}}
{{- $paths = append $paths (dict "from" . "to" (first $database) "port" (last $database)) -}}
{{- end -}}
{{- if not $.Values.externalRedis.enabled -}}
{{- $paths = append $paths (dict "from" . "to" "valkey" "port" 6379) -}}
{{- end -}}
{{- end -}}
{{- if .Values.embedder.enabled -}}
{{- range list "gateway" "api" "worker" -}}
{{- $paths = append $paths (dict "from" . "to" "embedder" "port" 8302) -}}
{{- end -}}
{{- end -}}
{{- if .Values.cimd.enabled -}}
{{- $paths = append $paths (dict "from" "api" "to" "cimd" "port" 8303) -}}
{{- end -}}
{{- if $inside -}}
{{- $paths = append $paths (dict "from" "migrations" "to" "db" "port" 5432) -}}
{{- if .Values.database.pooler.enabled -}}
{{- $paths = append $paths (dict "from" "pooler" "to" "db" "port" 5432) -}}
{{- end -}}
{{- end -}}
{{- if .Values.tests.enabled -}}
{{- $paths = append $paths (dict "from" "test" "to" "gateway" "port" 8300) -}}
{{- $paths = append $paths (dict "from" "test" "to" "api" "port" 8301) -}}
{{- if $inside -}}
{{- $paths = append $paths (dict "from" "test" "to" (first $database) "port" (last $database)) -}}
{{- end -}}
{{- end -}}
{{- toJson $paths -}}
{{- end -}}

{{/* The pods of a component, as a label selector; takes a list: root, component. */}}
{{- define "threengram.podsOf" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- if eq $component "db" -}}
matchLabels:
  cnpg.io/cluster: {{ include "threengram.database.cluster" $root }}
  cnpg.io/podRole: instance
{{- else if eq $component "pooler" -}}
matchLabels:
  cnpg.io/poolerName: {{ include "threengram.database.pooler" $root }}
{{- else if eq $component "worker" -}}
matchLabels:
  {{- include "threengram.selector" (list $root "") | nindent 2 }}
matchExpressions:
  - key: app.kubernetes.io/component
    operator: In
    values:
      {{- range $name, $_ := $root.Values.workers }}
      - worker-{{ $name }}
      {{- end }}
{{- else -}}
matchLabels:
  {{- include "threengram.selector" (list $root $component) | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Networks that are nobody's public address (RFC 6890 and later), as JSON; takes the IP version. */}}
{{- define "threengram.notPublic" -}}
{{- if eq . "4" -}}
["0.0.0.0/8","10.0.0.0/8","100.64.0.0/10","127.0.0.0/8","169.254.0.0/16","172.16.0.0/12","192.0.0.0/24","192.0.2.0/24","192.88.99.0/24","192.168.0.0/16","198.18.0.0/15","198.51.100.0/24","203.0.113.0/24","224.0.0.0/4","240.0.0.0/4"]
{{- else -}}
["2001::/23","2001:db8::/32","2002::/16","3fff::/20"]
{{- end -}}
{{- end -}}
