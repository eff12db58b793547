import { expect, test } from 'vitest'
import { ofDisks } from './nats-disk.ts'

const monitor = 'http://127.0.0.1:8222/'
const answers = (config: object) => async () => ({ server_id: 'x', jetstream: { config, stats: {} } })
const never = async (): Promise<never> => {
  throw new Error('refused')
}
const said = async (
  more: { replicas?: number; monitor?: string },
  look: (url: string) => Promise<unknown>,
  version = '2.11.4',
) =>
  (await ofDisks({ replicas: 3, monitor: undefined, ...more }, [version], look)).map(
    ({ state, detail }) => `${state}: ${detail}`,
  )

test.each([
  ['each message', { sync_always: true, sync_interval: 120_000_000_000 }, 'ok: the NATS server writes each message'],
  ['late', { sync_interval: 10_000_000_000 }, 'warn: .* a power cut may lose 10 s'],
  ['late by default', {}, 'warn: .* a power cut may lose 120 s'],
])('the monitoring port says when the server writes to its disk: %s', async (_what, config, finding) => {
  expect(await said({ monitor }, answers(config))).toEqual([expect.stringMatching(finding)])
})

test('without a monitoring port that answers, nobody knows', async () => {
  expect(await said({}, never)).toEqual([expect.stringMatching(/^ok: without cluster.monitor, Iris cannot tell/)])
  expect(await said({ monitor }, never)).toEqual([expect.stringMatching(/^warn: .* does not answer as the monitoring/)])
  expect(await said({ monitor }, async () => ({}))).toEqual([expect.stringMatching(/^warn: /)])
})

test('one server that keeps everything is a warning', async () => {
  expect(await said({ replicas: 1 }, never)).toContainEqual(
    expect.stringMatching(/^warn: each message is on one server only/),
  )
  // An old one cannot do it at all: its own finding says so.
  expect(await said({}, never, '2.9.10')).toEqual([])
})
