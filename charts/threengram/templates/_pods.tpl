{{/* Pods: one shape for services, Jobs and Valkey. */}}

{{/* `pods` with what a component overrides, as YAML; takes a list: root, overrides. */}}
{{- define "threengram.podValues" -}}
{{- $root := index . 0 -}}
{{- mergeOverwrite (deepCopy $root.Values.pods) (deepCopy (index . 1 | default dict)) | toYaml -}}
{{- end -}}

{{/* Metadata of a pod template; takes a dict: root, component, pod. */}}
{{- define "threengram.podMetadata" -}}
labels:
  {{- include "threengram.selector" (list .root .component) | nindent 2 }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  {{- with .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .pod.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  kubectl.kubernetes.io/default-container: {{ .container }}
  {{- with .root.Values.secrets.revision }}
  threengram/secrets-revision: {{ . | quote }}
  {{- end }}
  {{- with .checksum }}
  checksum/config: {{ . }}
  {{- end }}
  {{- with .pod.annotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/*
The spec of a pod; takes a dict: root, component, pod, container (name), image, and what it needs of: command, args, env,
ports, probes, preStop, resources, graceSeconds, restartPolicy, userId, volumes, mounts, spread.
Nothing runs as root or writes to its image; the API of Kubernetes is nobody's business here.
*/}}
{{- define "threengram.podSpec" -}}
{{- $root := .root -}}
{{- $pod := .pod -}}
{{- $userId := int64 (.userId | default $pod.userId) -}}
serviceAccountName: {{ include "threengram.name" (list $root (.serviceAccount | default .component)) }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .restartPolicy }}
restartPolicy: {{ . }}
{{- end }}
{{- with .graceSeconds }}
terminationGracePeriodSeconds: {{ . }}
{{- end }}
{{- with $pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $pod.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ $userId }}
  runAsGroup: {{ $userId }}
  fsGroup: {{ $userId }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with $pod.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ .container }}
    image: {{ .image }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    {{- with .command }}
    command: {{ toJson . }}
    {{- end }}
    {{- with .args }}
    args: {{ toJson . }}
    {{- end }}
    {{- with concat (.env | fromYamlArray) $pod.extraEnv }}
    env:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $pod.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .ports }}
    ports:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .probes }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .preStopSeconds }}
    lifecycle:
      preStop:
        sleep:
          seconds: {{ . }}
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      runAsNonRoot: true
      capabilities:
        drop: [ALL]
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- range concat (.mounts | default list) $pod.extraVolumeMounts }}
      - {{- toYaml . | nindent 8 }}
      {{- end }}
  {{- with $pod.sidecars }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
  {{- range concat (.volumes | default list) $pod.extraVolumes }}
  - {{- toYaml . | nindent 4 }}
  {{- end }}
{{- with $pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pod.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .spread }}
topologySpreadConstraints:
  {{- if $pod.topologySpreadConstraints }}
  {{- toYaml $pod.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "threengram.selector" (list $root $.component) | nindent 8 }}
    # Of this release of the Deployment only: an upgrade's old pods do not count.
    matchLabelKeys: [pod-template-hash]
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/*
Probes of a service on its admin port; takes a dict: startupSeconds, graceful. Liveness does no input or output: it says
that the process answers. Readiness asks the database, the counters and the model.
*/}}
{{- define "threengram.probes" -}}
startupProbe:
  httpGet:
    path: /readyz
    port: admin
  periodSeconds: 3
  timeoutSeconds: 3
  failureThreshold: {{ div (int64 .startupSeconds) 3 }}
livenessProbe:
  httpGet:
    path: /livez
    port: admin
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: admin
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end -}}

{{- define "threengram.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "threengram.name" (list .root .component) }}
  labels:
    {{- include "threengram.labels" (list .root .component) | nindent 4 }}
  {{- with merge (dict) (.hook | default dict) (.annotations | default dict) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
