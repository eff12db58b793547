import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { scratchDirectory } from '../../../../test/support/scratch.ts'
import type { AuditEntry } from '../../../kernel/session/audit-entry.ts'
import { makeTables, openDatabase, transaction } from '../../../platform/store/database.ts'
import { Audit } from './audit.ts'
import { AuditTrail } from './audit-trail.ts'

function opened(count = 0): { database: DatabaseSync; audit: Audit; trail: AuditTrail } {
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  const audit = new Audit(database)
  for (let at = 1; at <= count; at++) audit.record(entry({ at }))
  return { database, audit, trail: new AuditTrail(database) }
}

function entry(more: Partial<AuditEntry> = {}): AuditEntry {
  return { at: 1, actor: 'owner', action: 'session_delete', subject: 'frontend→backend', decision: 'allowed', ...more }
}

/** Changes the audit as someone with write access to the file can. */
function tampered(database: DatabaseSync, sql: string): void {
  database.exec('DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted')
  database.exec(sql)
}

test('an audit that nobody touched is whole, over several pages, and names its head', async () => {
  const { trail } = opened(1201)
  const { entries, head, breaks } = await trail.verify()
  expect({ entries, breaks, at: head?.at }).toEqual({ entries: 1201, breaks: [], at: 1201 })
  expect(trail.holds(head!.hash)).toBe(true)
})

test.each(['UPDATE audit SET actor = 1', 'DELETE FROM audit'])('the store itself refuses %s', (sql) => {
  const { database } = opened(3)
  expect(() => database.exec(sql)).toThrow('the audit is append-only')
})

describe('the first entry that does not fit is named when', () => {
  test.each([
    ['one was changed', `UPDATE audit SET actor = 'iris' WHERE sequence = 601`, 601, 'changed'],
    ['one was removed', 'DELETE FROM audit WHERE sequence = 601', 602, 'does_not_follow'],
    ['the first was removed', 'DELETE FROM audit WHERE sequence = 1', 2, 'does_not_follow'],
    [
      'two were exchanged',
      `UPDATE audit SET sequence = -1 WHERE sequence = 601; UPDATE audit SET sequence = 601 WHERE sequence = 602;
       UPDATE audit SET sequence = 602 WHERE sequence = -1`,
      601,
      'does_not_follow',
    ],
    [
      'one was put before the first',
      `INSERT INTO audit SELECT -1, at, 'iris', action, subject, decision, input_hash, detail, previous_hash, 'made up'
         FROM audit WHERE sequence = 1`,
      -1,
      'changed',
    ],
    [
      'one was put between',
      `UPDATE audit SET sequence = -sequence WHERE sequence > 600;
       INSERT INTO audit SELECT 601, at, actor, 'forged', subject, decision, input_hash, detail, previous_hash, 'made up'
         FROM audit WHERE sequence = -601;
       UPDATE audit SET sequence = 1 - sequence WHERE sequence < 0`,
      601,
      'changed',
    ],
  ])('%s', async (_what, sql, sequence, problem) => {
    const { database, trail } = opened(1201)
    tampered(database, sql)
    const { breaks } = await trail.verify()
    expect(breaks[0]).toEqual({ sequence, problem, explainedBy: null })
  })
})

test('what is cut off at the end leaves a whole chain, and is missed by whoever noted the head', async () => {
  const { database, trail } = opened(10)
  const { head } = await trail.verify()
  tampered(database, 'DELETE FROM audit WHERE sequence > 7')
  expect(await trail.verify()).toMatchObject({ entries: 7, breaks: [] })
  expect(trail.holds(head!.hash)).toBe(false)
})

test('an entry inside a transaction is part of it', async () => {
  const { database, audit, trail } = opened(1)
  expect(() =>
    transaction(database, () => {
      audit.record(entry({ at: 2 }))
      throw new Error('the work failed')
    }),
  ).toThrow('the work failed')
  transaction(database, () => audit.record(entry({ at: 3 })))
  audit.record(entry({ at: 4 }))
  expect(trail.page({}, 10).map(({ at }) => at)).toEqual([4, 3, 1])
  expect((await trail.verify()).breaks).toEqual([])
})

test('entries are found by team and by time, the newest first', () => {
  const { audit, trail } = opened()
  audit.record(entry({ at: 1, subject: 'frontend→backend (review)' }))
  audit.record(entry({ at: 2, subject: 'mobile' }))
  audit.record(entry({ at: 3, actor: 'agent:backend', subject: 'turn 1' }))
  audit.record(entry({ at: 4, subject: 'turn 2', detail: { team: 'backend' } }))
  audit.record(entry({ at: 5, subject: 'backend-two' }))
  const times = (filter: Parameters<AuditTrail['page']>[0], limit = 10): number[] =>
    trail.page(filter, limit).map(({ at }) => at)
  expect(times({ team: 'backend' })).toEqual([4, 3, 1])
  expect(times({ since: 3 })).toEqual([5, 4, 3])
  expect(times({ before: 3 }, 1)).toEqual([2])
})

test('an entry that the store refused is written once the store takes it, without another entry', async () => {
  using directory = scratchDirectory()
  const database = openDatabase(join(directory.path, 'store.db'))
  const clock = new FakeClock()
  const audit = new Audit(database, clock)
  database.exec('PRAGMA query_only = 1')
  audit.record(entry({ action: 'config.reloaded' }))
  expect(clock.pending).toBe(1)
  await clock.advance(5000)
  expect(clock.pending).toBe(1)
  database.exec('PRAGMA query_only = 0')
  await clock.advance(5000)
  const written = new AuditTrail(database).page({}, 10)
  expect(written.map(({ action }) => action)).toEqual(['config.reloaded'])
  expect(clock.pending).toBe(0)
  database.close()
})
