import { expect, test } from 'vitest'
import { configurationOf, costOf } from './nats-configuration.ts'

const own = 'keeper_studio:a-long-password'

test.each([
  ['2.9.25', false],
  ['2.10.0', true],
  ['2.12.1-RC.1', true],
  ['3.0.0', true],
])('nats-server %s is configured with sync_interval: %s', (version, isThere) => {
  const text = configurationOf('nats://10.0.0.5:4222', version, own)
  expect(text.includes('jetstream { store_dir: /var/lib/nats, sync_interval: always }')).toBe(isThere)
  expect(text).toContain('listen: 0.0.0.0:4222')
  expect(text).toContain('user: keeper_studio, password: "a-long-password"')
  expect(costOf(version)).toContain(isThere ? 'waits for the disk' : `${version} does not start with sync_interval`)
})

test('without a server that answers the line is a comment; an administrator whom a person has is not printed', () => {
  const text = configurationOf('tls://nats.example.org', undefined, 'admin:their-password')
  expect(text).toContain('# nats-server from 2.10 on: add sync_interval: always')
  expect(text).toContain('jetstream { store_dir: /var/lib/nats }')
  expect(text).toContain('tls { cert_file:')
  expect(text).not.toContain('their-password')
  expect(costOf(undefined)).toContain('No server answers yet.')
})
