import { expect, test } from 'vitest'
import { managedVariables } from './managed-settings.ts'
import { hasTelemetry } from './telemetry-environment.ts'

const managed = (env: object) => hasTelemetry(managedVariables([JSON.stringify({}), JSON.stringify({ env })]))

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example' },
  { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://collector.example/v1/metrics' },
  { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  { OTEL_METRICS_EXPORTER: 'otlp' },
  { ANT_OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example' },
  { BETA_TRACING_ENDPOINT: 'https://collector.example' },
  { CLAUDE_CODE_ENABLE_TELEMETRY: 1 },
])('managed settings that send telemetry elsewhere are known: %j', (env) => {
  expect(managed(env)).toBe(true)
})

test('others are not taken for it, nor is text that is no JSON', () => {
  expect(managed({ OTEL_RESOURCE_ATTRIBUTES: 'team=web', HTTPS_PROXY: 'http://proxy.example' })).toBe(false)
  expect(hasTelemetry(managedVariables(['{', '[]']))).toBe(false)
})
