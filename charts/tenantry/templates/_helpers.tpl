{{- define "tenantry.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tenantry.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tenantry.labels" -}}
{{ include "tenantry.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "tenantry.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* The names of the secret settings, as JSON. */}}
{{- define "tenantry.secretKeys" -}}
{{- if .Values.secrets.create }}{{ keys .Values.secrets.values | sortAlpha | toJson }}
{{- else if .Values.secrets.existing }}{{ .Values.secrets.keys | sortAlpha | toJson }}
{{- else }}[]{{ end }}
{{- end }}

{{- define "tenantry.secretName" -}}
{{ .Values.secrets.existing | default (include "tenantry.name" .) }}
{{- end }}

{{/* "true" with PostgreSQL, otherwise empty. */}}
{{- define "tenantry.hasPostgres" -}}
{{- if has "DATABASE_URL" (include "tenantry.secretKeys" . | fromJsonArray) }}true{{ end }}
{{- end }}

{{/* Mistakes that the schema of the values cannot find. */}}
{{- define "tenantry.validate" -}}
{{- $several := or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled }}
{{- if and $several (not (include "tenantry.hasPostgres" .)) }}
{{- fail "Several replicas need PostgreSQL: add DATABASE_URL to secrets.keys (with secrets.existing) or to secrets.values (with secrets.create), or set replicas to 1 and autoscaling.enabled to false." }}
{{- end }}
{{- if and .Values.secrets.existing .Values.secrets.create }}
{{- fail "secrets.existing and secrets.create exclude each other." }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not (has "METRICS_TOKEN" (include "tenantry.secretKeys" . | fromJsonArray))) }}
{{- fail "serviceMonitor.enabled needs METRICS_TOKEN in secrets.keys (with secrets.existing) or in secrets.values (with secrets.create)." }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled .Values.settings.METRICS_PORT }}
{{- fail "serviceMonitor.enabled and settings.METRICS_PORT exclude each other: with the latter, the port of the pod does not serve /metrics." }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
{{- fail "httpRoute.enabled needs httpRoute.parentRefs: the gateways of the route." }}
{{- end }}
{{- end }}

{{/* The restricted Pod Security Standard. */}}
{{- define "tenantry.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tenantry.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "tenantry.env" -}}
- name: BASE_URL
  value: {{ .Values.baseUrl | quote }}
# The server creates it for its user only. The folder of a volume belongs to root and to the group of the pod.
- name: DATA_DIR
  value: /data/tenantry
{{- if and (include "tenantry.hasPostgres" .) (eq .Values.migrations "job") }}
# The pods of a new version wait for the job.
- name: MIGRATIONS
  value: check
{{- end }}
{{- if .Values.serviceMonitor.enabled }}
- name: METRICS_ENABLED
  value: "true"
{{- end }}
{{- range $name, $value := omit .Values.settings (ternary "METRICS_ENABLED" "" .Values.serviceMonitor.enabled) }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range include "tenantry.secretKeys" . | fromJsonArray }}
- name: {{ . }}_FILE
  value: /run/secrets/tenantry/{{ . }}
{{- end }}
{{- end }}

{{- define "tenantry.mounts" -}}
- name: data
  mountPath: /data
{{- if include "tenantry.secretKeys" . | fromJsonArray }}
- name: secrets
  mountPath: /run/secrets/tenantry
  readOnly: true
{{- end }}
{{- end }}

{{- define "tenantry.secretVolume" -}}
{{- if include "tenantry.secretKeys" . | fromJsonArray }}
- name: secrets
  secret:
    secretName: {{ include "tenantry.secretName" . }}
    defaultMode: 0440
{{- end }}
{{- end }}
