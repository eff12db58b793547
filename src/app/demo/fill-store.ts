import { createHash } from 'node:crypto'
import { openDatabase, transaction } from '../../platform/store/database.ts'
import type { Store } from '../../platform/store/store.ts'
import type { RecordedWeek, WeekTurn } from './recorded-week.ts'

type Value = string | number | bigint | null
type Row = Readonly<Record<string, Value>>

/**
 * Makes a store that contains the week. Its conversations are archived, because there is no transcript to continue
 * from.
 */
export function fillStore(path: string, week: RecordedWeek): void {
  using store = openDatabase(path)
  transaction(store, () => {
    const sessions = new Map<string, Value>()
    for (const turn of week.turns) {
      const pair = `${turn.from} ${turn.to}`
      const session = sessions.get(pair) ?? addSession(store, turn, sessions.size + 1)
      sessions.set(pair, session)
      addTurn(store, turn, session)
    }
    addQuestions(store, week, sessions)
    addDecisions(store, week)
  })
}

function addSession(store: Store, { from, to, at }: WeekTurn, number: number): Value {
  return insert(store, 'team_sessions', {
    from_team: from,
    to_team: to,
    session_id: `${String(number).padStart(8, '0')}-0000-4000-9000-000000000018`,
    created_at: at,
    last_used_at: at,
    status: 'archived',
    archived_at: at,
    archived_why: 'invented for the demo',
  })
}

function addTurn(store: Store, turn: WeekTurn, session: Value): void {
  const { id, message, parent, answer, at, tookMs, costUsd, tools } = turn
  const usage = { inputTokens: 900, outputTokens: 400, cacheReadTokens: 12_000, cacheWriteTokens: 800, costUsd }
  const end = answer === null ? { outcome: 'failed', reason: 'hung' } : { outcome: 'completed', answer }
  insert(store, 'turns', {
    id,
    session,
    message,
    parent_turn: parent,
    hop: parent === null ? 1 : 2,
    awaited: 0,
    state: 'settled',
    ...end,
    usage: JSON.stringify(usage),
    accepted_at: at,
    dispatched_at: at + 20,
    started_at: at + 300,
    first_at: at + 10,
    settled_at: at + tookMs,
  })
  store
    .prepare(
      `UPDATE team_sessions SET last_used_at = max(last_used_at, ?), archived_at = max(archived_at, ?1),
         message_count = message_count + 1, cost_usd = cost_usd + ? WHERE id = ?`,
    )
    .run(at + tookMs, costUsd, session)
  let begin = at + 1500
  for (const [index, { name, input, tookMs: took }] of tools.entries()) {
    insert(store, 'tool_starts', {
      turn: id,
      tool_use_id: `use-${index}`,
      delivery: id,
      name,
      input_hash: hashOf(input),
      input_short: input,
      started_at: begin,
      ended_at: begin + took,
      is_error: 0,
    })
    begin += took + 500
  }
}

function addQuestions(store: Store, { questions }: RecordedWeek, sessions: ReadonlyMap<string, Value>): void {
  for (const [index, { turn, command, rule, isAllowed }] of questions.entries()) {
    const input = JSON.stringify({ command })
    const rules = [{ toolName: 'Bash', ruleContent: rule }]
    const asked = turn.at + 2000
    insert(store, 'permissions', {
      id: `demo-${index}`,
      session: sessions.get(`${turn.from} ${turn.to}`)!,
      process_start: 'demo',
      turn: turn.id,
      tool_use_id: 'use-0',
      tool_name: 'Bash',
      input,
      input_hash: hashOf(input),
      directory: '/',
      chain: '[]',
      suggestions: JSON.stringify([{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }]),
      asked_at: asked,
      deadline: asked + 3_600_000,
      state: isAllowed ? 'allowed' : 'denied',
      decided_by: 'owner',
      decided_at: asked + 20_000,
      scope: 'once',
    })
  }
}

/**
 * Rows about what Iris does on its own: answers that it watches or gives again, processes that it starts ahead,
 * collisions, faults.
 */
function addDecisions(store: Store, week: RecordedWeek): void {
  const { turns, outdated, startedAhead, collision, faults, givenAgain } = week
  for (const { id, at } of outdated) {
    insert(store, 'answer_states', { turn: id, noted_at: at })
    insert(store, 'answer_files', { turn: id, path: 'src/api.ts', hash: hashOf('what the file held then') })
  }
  const watched = outdated.at(-1)!
  insert(store, 'watched_answers', { turn: watched.id, noted_at: watched.at })
  const askers = new Map(turns.map(({ id, from }) => [id, from]))
  for (const { id, from, to, parent, at } of startedAhead.used) {
    const use = { turn: id, used_at: at, saved_ms: startedAhead.savedMs }
    const asker = askers.get(parent ?? '') ?? from
    insert(store, 'warm_starts', { at: at - 3000, from_team: from, to_team: to, thread: 'main', asker, ...use })
  }
  const { at, from, to } = startedAhead.used[0]!
  for (let n = 0; n < startedAhead.unused; n++) {
    insert(store, 'warm_starts', { at: at + n, from_team: from, to_team: to, thread: 'main', asker: from })
  }
  const { turn, other, path } = collision
  insert(store, 'file_collisions', { at: turn.at, turn: turn.id, other_turn: other.id, path })
  for (const { at: foundAt, tookMs, ...fault } of faults) {
    insert(store, 'healings', { ...fault, found_at: foundAt, healed_at: foundAt + tookMs })
  }
  const { id, message, at: keptAt } = givenAgain.turn
  insert(store, 'kept_answers', {
    turn: id,
    key: hashOf(message),
    files: '[]',
    noted_at: keptAt,
    given: givenAgain.times,
    given_at: turns.at(-1)!.at,
  })
}

function insert(store: Store, table: string, row: Row): Value {
  const columns = Object.keys(row)
  const statement = store.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  return statement.run(...Object.values(row)).lastInsertRowid
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
