{{/*
Everything of one component; takes a dict: root, component, service (the name of image and settings), prefix, values, env
(YAML of what is its own), args, port (0: admin only), adminPort, single (no autoscaling, no disruption budget).
*/}}
{{- define "threengram.component" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $pod := include "threengram.podValues" (list $root $values.pod) | fromYaml -}}
{{- $name := include "threengram.name" (list $root .component) -}}
{{- $scaling := $values.autoscaling | default dict -}}
{{- $type := $scaling.type | default "none" -}}
{{- $graceSeconds := add $pod.preStopSeconds (ceil ($values.settings.shutdownGraceS | default 20)) 10 -}}
{{- $process := include "threengram.env.process" (dict "root" $root "prefix" .prefix "pod" $pod "listens" (gt (int .port) 0)) -}}
{{- $settings := include "threengram.env.settings" (dict "prefix" .prefix "settings" $values.settings "secretSettings" $values.secretSettings) -}}
{{- $env := list $process .env $settings | join "\n" -}}
{{- $ports := list (dict "name" "admin" "containerPort" (int .adminPort)) -}}
{{- if .port -}}
{{- $ports = prepend $ports (dict "name" "http" "containerPort" (int .port)) -}}
{{- end -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "threengram.labels" (list $root .component) | nindent 4 }}
    {{- with $pod.deploymentLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $pod.deploymentAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if .single }}
  replicas: 1
  {{- else if eq $type "none" }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  # Longer than pods may wait for the migrations.
  progressDeadlineSeconds: {{ add $pod.startupSeconds 300 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "threengram.selector" (list $root .component) | nindent 6 }}
  template:
    metadata:
      {{- include "threengram.podMetadata" (dict "root" $root "component" .component "pod" $pod "container" .service) | nindent 6 }}
    spec:
      {{- include "threengram.podSpec" (dict
          "root" $root "component" .component "pod" $pod "container" .service "spread" true
          "image" (include "threengram.image" (list $root (.image | default $values.image)))
          "args" .args "env" $env "ports" $ports "resources" $values.resources
          "graceSeconds" $graceSeconds "preStopSeconds" (int $pod.preStopSeconds)
          "probes" (include "threengram.probes" (dict "startupSeconds" $pod.startupSeconds))
        ) | nindent 6 }}
---
{{ include "threengram.serviceAccount" (dict "root" $root "component" .component "annotations" $values.serviceAccountAnnotations) }}
{{- if .port }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "threengram.labels" (list $root .component) | nindent 4 }}
  {{- with $values.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ $values.service.type | default "ClusterIP" }}
  {{- with $root.Values.ipFamilyPolicy }}
  ipFamilyPolicy: {{ . }}
  {{- end }}
  selector:
    {{- include "threengram.selector" (list $root .component) | nindent 4 }}
  ports:
    - name: http
      port: {{ $values.service.port }}
      targetPort: http
      appProtocol: http
{{- end }}
{{- if and (not .single) $values.disruption.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels:
    {{- include "threengram.labels" (list $root .component) | nindent 4 }}
spec:
  maxUnavailable: {{ $values.disruption.maxUnavailable }}
  # A pod that is not ready serves nobody: it may always go.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "threengram.selector" (list $root .component) | nindent 6 }}
{{- end }}
{{- if eq $type "hpa" }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels:
    {{- include "threengram.labels" (list $root .component) | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $name }}
  minReplicas: {{ $scaling.minReplicas }}
  maxReplicas: {{ $scaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ $scaling.cpuPercent }}
    {{- with $scaling.metrics }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $scaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- else if eq $type "keda" }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  labels:
    {{- include "threengram.labels" (list $root .component) | nindent 4 }}
spec:
  scaleTargetRef:
    name: {{ $name }}
  minReplicaCount: {{ $scaling.minReplicas }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  {{- with $scaling.behavior }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- toYaml . | nindent 8 }}
  {{- end }}
  # Without figures the size stays: an outage of monitoring is no reason to scale.
  fallback:
    failureThreshold: 5
    replicas: {{ max 1 (int $scaling.minReplicas) }}
    behavior: currentReplicasIfHigher
  triggers:
    {{- range $trigger := .triggers }}
    - type: prometheus
      metricType: {{ $trigger.metricType }}
      metadata:
        serverAddress: {{ $root.Values.monitoring.prometheusUrl | quote }}
        threshold: {{ include "threengram.text" $trigger.threshold | quote }}
        query: {{ $trigger.query | quote }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* What selects this release's series of a component in PromQL; takes a list: root, component. */}}
{{- define "threengram.series" -}}
namespace="{{ (index . 0).Release.Namespace }}",pod=~"{{ include "threengram.name" . }}-.*"
{{- end -}}
