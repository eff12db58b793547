import { expect, test } from 'vitest'
import { telemetryEnvironment } from '../../claude/driver/telemetry-environment.ts'
import type { FoundText, Machine } from '../../platform/machine/machine.ts'
import { noProxySettings } from './no-proxy.ts'

const user = '/home/ada/.claude/settings.json'
const project = '.claude/settings.json'
const local = '.claude/settings.local.json'
const here = '127.0.0.1,localhost,::1'

/** The settings that a process gets with these settings files. */
function given(
  files: Readonly<Record<string, object | string>>,
  { env = {}, managed = [] as object[], telemetry = undefined as Record<string, string> | undefined } = {},
) {
  const readText = async (name: string): Promise<FoundText> => {
    const file = files[name]
    if (file === 'fails') throw new Error('the helper has ended')
    if (file === undefined) return { kind: 'absent' }
    return { kind: 'text', text: typeof file === 'string' ? file : JSON.stringify(file), isCut: false }
  }
  const machine = { project: { readText }, claude: { path: () => user } } as unknown as Machine
  return noProxySettings(machine, { team: 'backend', env }, telemetry, () => managed.map((one) => JSON.stringify(one)))
}

const only = { env: { NO_PROXY: here, no_proxy: here } }

test('without a list in a settings file there is one all the same: a file may get one while the process lives', async () => {
  expect(await given({})).toEqual(only)
  expect(await given({ [project]: { env: { HTTP_PROXY: 'http://proxy' } }, [local]: 'no JSON', [user]: '[]' })).toEqual(
    only,
  )
  expect(await given({ [project]: { env: { NO_PROXY: 1, no_proxy: true } } })).toEqual(only)
})

test('telemetry goes to Iris alone, and its token is on no command line', async () => {
  const telemetry = telemetryEnvironment('http://127.0.0.1:4318', 'secret')
  const { env } = await given({}, { telemetry })
  expect(env).toMatchObject({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces',
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://127.0.0.1:4318/v1/logs',
    // gRPC has its own proxy setting, and would send the token through that proxy unencrypted.
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
    BETA_TRACING_ENDPOINT: '',
    ENABLE_BETA_TRACING_DETAILED: '',
  })
  expect(JSON.stringify(env)).not.toContain('secret')
})

test('a list of a settings file is added to, in both names', async () => {
  const files = {
    [project]: { env: { NO_PROXY: 'intra.example, *.corp' } },
    [user]: { env: { no_proxy: 'git.example' } },
  }
  const list = `${here},git.example,intra.example,*.corp`
  expect(await given(files, { env: { NO_PROXY: here, no_proxy: here } })).toEqual({
    env: { NO_PROXY: list, no_proxy: list },
  })
  expect(await given({ [local]: { env: { NO_PROXY: '' } } })).toEqual({ env: { NO_PROXY: here, no_proxy: here } })
})

test('what Iris cannot read may have a list, so Claude Code gets one that counts more', async () => {
  expect(await given({ [project]: 'fails' })).toEqual({ env: { NO_PROXY: here, no_proxy: here } })
})

test('managed settings count more, so a list without this machine stops the start', async () => {
  const refusal = given({}, { managed: [{ env: { NO_PROXY: 'intra.example' } }] })
  await expect(refusal).rejects.toThrow(/managed settings have a NO_PROXY without 127\.0\.0\.1/)
  for (const NO_PROXY of ['127.0.0.1,intra.example', '*'])
    expect(await given({}, { managed: [{ env: { NO_PROXY } }, {}] })).toEqual(only)
})
