import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Audit } from '../../src/features/audit/rows/audit.ts'
import { openDatabase } from '../../src/platform/store/database.ts'
import { createWorld, type World } from './world.ts'

/** The items of a grown world, by number; each exists for every number below the size. */
export interface Grown {
  readonly world: World
  readonly size: number
  readonly team: (number: number) => string
  /** Of the pair team → next team, with ten answered turns and a failed one. */
  readonly session: (number: number) => string
  readonly turn: (number: number) => string
  readonly failed: (number: number) => string
  /** A conversation from the first to the second team that has ten turns for each of the size; its thread is `long`. */
  readonly long: string
}

const turnsEach = 10
const secondMs = 1000

const id = (kind: number, number: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`

/**
 * An Iris with the double of Claude Code whose teams, conversations, messages, tools, questions, notices, schedules and
 * audit entries all are `size` or a multiple of it. Nothing of it runs.
 */
export async function grownWorld(size: number): Promise<Grown> {
  const team = (number: number): string => `team-${String(number % size).padStart(4, '0')}`
  const names = Array.from({ length: size }, (_, number) => [team(number), { description: `Does part ${number}.` }])
  const world = await createWorld({ claude: 'fake', teams: Object.fromEntries(names) })
  const path = join(world.home, 'data/team-sessions.db')
  mkdirSync(dirname(path), { recursive: true })
  using database = openDatabase(path)
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  const [began, usage] = [Date.now() - size * turnsEach * 4 * secondMs, JSON.stringify(usual)]
  const session = database.prepare(
    `INSERT INTO team_sessions (from_team, to_team, thread, session_id, created_at, last_used_at, last_response_at, status,
       archived_at, archived_why, message_count, context_tokens, context_window, cost_usd)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9, 10, 5000, 200000, 0.1) RETURNING id`,
  )
  const put = (from: string, to: string, thread: string, sessionId: string, archived: boolean): number => {
    const [status, at, why] = archived ? ['archived', began, 'nobody used it'] : ['active', null, null]
    return Number(session.get(from, to, thread, sessionId, began, Date.now(), status, at, why)!['id'])
  }
  const rows = Array.from({ length: size }, (_, at) => put(team(at), team(at + 1), 'main', id(1, at), false))
  const long = put(team(0), team(1), 'long', id(2, 0), false)
  for (let at = 0; at < size; at += 1) put(team(at), team(at + 2), 'old', id(3, at), true)
  const turn = database.prepare(
    `INSERT INTO turns (id, session, message, hop, awaited, state, outcome, reason, answer, usage, accepted_at, first_at,
       dispatched_at, started_at, settled_at)
     VALUES (?1, ?2, 'Where is the word?', 1, 0, 'settled', ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?7, ?7 + 1000)`,
  )
  const tool = database.prepare(
    `INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, started_at, ended_at, is_error, input_short)
     VALUES (?1, ?2, ?1, 'Bash', 'hash', ?3, ?3 + 500, 0, 'npm test')`,
  )
  let at = began
  const say = (turnId: string, row: number, isAnswered = true): void => {
    at += secondMs
    const end = isAnswered ? ['completed', null, 'In the answer.'] : ['failed', 'api_error', null]
    turn.run(turnId, row, ...(end as [string, string | null, string | null]), usage, at)
    tool.run(turnId, `toolu_${turnId}`, at)
  }
  for (let round = 0; round < turnsEach; round += 1) {
    for (const [number, row] of rows.entries()) say(id(4, round * size + number), row)
    for (let number = 0; number < size; number += 1) say(id(5, round * size + number), long)
  }
  for (const [number, row] of rows.entries()) say(id(6, number), row, false)
  addRest(database, { size, team, rows, began })
  database.exec('COMMIT')
  const of = (kind: number) => (number: number) => id(kind, number)
  return { world, size, team, session: of(1), turn: of(4), failed: of(6), long: id(2, 0) }
}

const usual = { inputTokens: 3, outputTokens: 40, cacheReadTokens: 900, cacheWriteTokens: 20, costUsd: 0.01 }

interface Filled {
  readonly size: number
  readonly team: (number: number) => string
  readonly rows: readonly number[]
  readonly began: number
}

/** Data other than conversations and their messages. */
function addRest(database: ReturnType<typeof openDatabase>, { size, team, rows, began }: Filled): void {
  const audit = new Audit(database)
  const notice = database.prepare(
    `INSERT INTO notices (from_team, to_team, thread, text, left_at, expires_at) VALUES (?, ?, 'main', 'News.', ?, 4919000000000)`,
  )
  const question = database.prepare(
    `INSERT INTO permissions (id, session, process_start, turn, tool_use_id, tool_name, input, input_hash, suggestions, directory,
       chain, asked_at, deadline, state, decided_by, decided_at, scope)
     VALUES (?1, ?2, ?1, ?3, 'toolu', 'Bash', '{"command":"npm test"}', 'hash', '[]', '/', '[]', ?4, ?4, 'allowed', 'owner', ?4, 'pair')`,
  )
  const grant = database.prepare(
    `INSERT INTO permission_grants (from_team, to_team, decision, rule, permission, granted_at) VALUES (?, ?, 'allow', 'Bash(npm test)', ?, ?)`,
  )
  const schedule = database.prepare(
    `INSERT INTO schedules (id, ask, plan, next_at, created_at) VALUES (?, ?, '{"every":"day","zone":"UTC","hour":9,"minute":0}', 4919000000000, ?)`,
  )
  const healing = database.prepare(
    `INSERT INTO healings (fault, subject, found, action, found_at, healed_at) VALUES ('process_died', ?, 'it ended', 'it goes on', ?, ?)`,
  )
  const report = database.prepare(
    `INSERT INTO reports (turn, uuid, text, kind, reported_at) VALUES (?, ?, 'The build is green.', 'said', ?)`,
  )
  for (const [number, row] of rows.entries()) {
    const [from, to] = [team(number), team(number + 1)]
    notice.run(from, to, began)
    question.run(id(7, number), row, id(4, number), began)
    grant.run(from, to, id(7, number), began)
    const ask = { pair: { from: 'external', to, thread: 'main' }, message: 'What is new?', waits: false }
    // There may be 500.
    if (number < 400) schedule.run(id(8, number), JSON.stringify(ask), began)
    healing.run(`${from}→${to}`, began, began)
    report.run(id(4, number), id(9, number), began)
    audit.record({ at: began, actor: 'owner', action: 'config.saved', subject: `${size} teams`, detail: { number } })
  }
}
