const protocol = 'http/json'

/**
 * The variables with which Claude Code sends its own telemetry by OTLP: spans, log records and metrics. Without further
 * variables it leaves out the texts of prompts, answers and tools (tried with 2.1.330 and 2.1.197).
 */
export function telemetryEnvironment(url: string, token: string): Readonly<Record<string, string>> {
  return {
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${token}`,
  }
}

/**
 * The telemetry's destination, for `--settings`, which take precedence over the settings files of the project and the
 * user. Such a file could redirect the telemetry, with the token in its headers. gRPC has its own proxy (`grpc_proxy`),
 * and detailed tracing has its own address with the same headers. The token is not passed here, because others can read
 * command lines.
 */
export function telemetryPlaces({ OTEL_EXPORTER_OTLP_ENDPOINT: url = '' }: ReturnType<typeof telemetryEnvironment>) {
  const ofSignals = ['TRACES', 'LOGS', 'METRICS', 'PROFILES'].flatMap((signal) => [
    [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, `${url}/v1/${signal.toLowerCase()}`],
    [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, protocol],
  ])
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    ...Object.fromEntries(ofSignals),
    BETA_TRACING_ENDPOINT: '',
    ENABLE_BETA_TRACING_DETAILED: '',
  } as Readonly<Record<string, string>>
}

/** Whether the user or the machine's administrator already sends Claude Code's telemetry somewhere. */
export function hasTelemetry(environment: Readonly<Record<string, string>>): boolean {
  return Object.keys(environment).some((name) =>
    /^(?:ANT_)?OTEL_.*EXPORTER|^CLAUDE_CODE_ENABLE_TELEMETRY$|^BETA_TRACING_ENDPOINT$/i.test(name),
  )
}
