{{- define "headnode.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "headnode.labels" -}}
app.kubernetes.io/name: headnode
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "headnode.env" -}}
envFrom:
  - configMapRef:
      name: {{ .Release.Name }}-settings
  - secretRef:
      name: {{ .Values.existingSecret }}
{{- end }}

{{- define "headnode.plain" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "headnode.fence" -}}
# The sandbox makes namespaces of its own, which the usual profile forbids; nothing is privileged. An unmasked /proc
# is given only to pods that have users of their own (hostUsers: false), and those share nothing else of the node's.
securityContext:
  allowPrivilegeEscalation: false
  procMount: Unmasked
  capabilities:
    drop: [ALL]
  seccompProfile:
    type: Unconfined
  appArmorProfile:
    type: Unconfined
{{- end }}

{{- define "headnode.pod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
automountServiceAccountToken: false
{{- end }}
