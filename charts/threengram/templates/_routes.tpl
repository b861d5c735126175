{{/* The host name of an origin. */}}
{{- define "threengram.host" -}}
{{- (urlParse .).hostname -}}
{{- end -}}

{{/* Ingress and HTTPRoute of a public component; takes a dict: root, component, values, url. */}}
{{- define "threengram.routes" -}}
{{- $root := .root -}}
{{- $name := include "threengram.name" (list $root .component) -}}
{{- if .values.ingress.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ $name }}
  labels:
    {{- include "threengram.labels" (list $root .component) | nindent 4 }}
  {{- with .values.ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .values.ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- $host := .values.ingress.host | default (include "threengram.host" .url) }}
  rules:
    - host: {{ $host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ $name }}
                port:
                  name: http
  {{- with .values.ingress.tlsSecret }}
  tls:
    - hosts: [{{ $host | quote }}]
      secretName: {{ . }}
  {{- end }}
{{- end }}
{{- if .values.httpRoute.enabled }}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: {{ $name }}
  labels:
    {{- include "threengram.labels" (list $root .component) | nindent 4 }}
  {{- with .values.httpRoute.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  parentRefs:
    {{- toYaml .values.httpRoute.parentRefs | nindent 4 }}
  hostnames:
    {{- toYaml (.values.httpRoute.hostnames | default (list (include "threengram.host" .url))) | nindent 4 }}
  rules:
    - backendRefs:
        - name: {{ $name }}
          port: {{ .values.service.port }}
      timeouts:
        request: {{ .values.httpRoute.timeout }}
    {{- with .values.httpRoute.exportTimeout }}
    - matches:
        {{- range list "/account/export" "/api/v1/export" }}
        - path:
            type: Exact
            value: {{ . }}
        {{- end }}
      backendRefs:
        - name: {{ $name }}
          port: {{ $.values.service.port }}
      timeouts:
        request: {{ . }}
    {{- end }}
{{- end }}
{{- end -}}
