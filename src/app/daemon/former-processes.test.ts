import { expect, test } from 'vitest'
import { newStore } from '../../../test/support/new-store.ts'
import type { Hosts } from '../../kernel/pool/hosts.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { ProcessRows } from '../../platform/store/process-rows.ts'
import { SessionRows } from '../../platform/store/sessions.ts'
import { leftElsewhere } from './former-processes.ts'

const made = { sessionId: 'none', origin: 'new', originSession: null, originMessage: null } as const

/** A store that a killed daemon left, in which one session of each team has a process, and the hosts that answer. */
function afterDeath(teams: Readonly<Record<string, string | undefined>>) {
  const store = newStore()
  const [processRows, rows] = [new ProcessRows(store), new SessionRows(store)]
  const ids = new Map<string, number>()
  for (const to of Object.keys(teams)) {
    const { id } = rows.create({ from: 'me', to, thread: 'main' }, { ...made, sessionId: to }, 0)
    ids.set(to, id)
    processRows.mirrorState(id, 'idle')
  }
  const asked: string[] = []
  const silent = new Set<string>()
  const hosts = new Map<string, object>()
  const hostOf = (name: string) => {
    const endFormer = async (): Promise<void> => {
      asked.push(name)
      if (silent.has(name)) throw new Error('it does not answer')
    }
    hosts.set(name, hosts.get(name) ?? { host: { endFormer } })
    return hosts.get(name)!
  }
  const start = async (): Promise<readonly string[]> => {
    const launcher = {
      programs: { remoteOf: (to: string) => (teams[to] ? ({ remote: teams[to] } as TeamConfig) : undefined) },
    }
    const of = ({ remote = '' }) => hostOf(remote) as ReturnType<Hosts['of']>
    const left = leftElsewhere({ processRows, launcher, hosts: { of } })
    expect(asked.splice(0)).toEqual([])
    left.begin()
    await new Promise(setImmediate)
    return asked.splice(0)
  }
  return { start, silent, processRows, idOf: (team: string) => ids.get(team)! }
}

test('each machine is asked once to end what a killed daemon left there, and no machine of which nothing is known', async () => {
  const { start } = afterDeath({ here: undefined, one: 'a', two: 'a', three: 'b' })
  expect(await start()).toEqual(['a', 'b'])
  expect(await start()).toEqual([])
})

test('a machine that does not answer is asked by the next daemon too', async () => {
  const { start, silent } = afterDeath({ one: 'a', two: 'b' })
  silent.add('a')
  expect(await start()).toEqual(['a', 'b'])
  expect(await start()).toEqual(['a'])
  silent.clear()
  expect(await start()).toEqual(['a'])
  expect(await start()).toEqual([])
})

test('a process that was started meanwhile is still known', async () => {
  const { start, processRows, idOf } = afterDeath({ one: 'a' })
  const starting = start()
  processRows.mirrorState(idOf('one'), 'spawning')
  expect(await starting).toEqual(['a'])
  expect(processRows.left()).toEqual([{ id: idOf('one'), to: 'one' }])
})
