import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDaemon } from '../../src/app/daemon/daemon.ts'
import { diagnose } from '../../src/app/doctor/doctor.ts'
import { sha256 } from '../../src/base/lib/sha256.ts'
import { IrisError } from '../../src/base/protocol/error.ts'
import { type OperationName, operationNames } from '../../src/features/contracts.ts'
import { theOwner } from '../../src/kernel/call/principal.ts'
import { type Grown, grownWorld } from '../support/grown-world.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { type Work, WorkCounter } from '../support/work-counter.ts'

/** `not`: as much work for ten times as much. `linearly`: ten times as much work. */
type Grows = 'not' | 'linearly'

type Input = (grown: Grown, round: number) => Readonly<Record<string, unknown>>

interface Row {
  readonly grows: Grows
  readonly input: Input
  /** The code of the refusal, where nobody but an agent may, or where there is nothing that it could do. */
  readonly refusal?: string
  /** Processes take part: how often they are heard depends on how fast they are, and they continue after the result. */
  readonly talks?: true
  /** Its work continues after its result, and must not be counted with the next operation. */
  readonly goesOn?: true
}

const page = { limit: 10 }
const none: Input = () => ({})
const flat = (input: Input = none): Row => ({ grows: 'not', input })
const linear = (input: Input = none): Row => ({ grows: 'linearly', input })
const refused = (refusal: string, input: Input = none): Row => ({ grows: 'not', input, refusal })
const talks = (row: Row): Row => ({ ...row, talks: true })
const goesOn = (row: Row): Row => ({ ...row, talks: true, goesOn: true })
const pair = ({ team }: Grown) => ({ fromTeam: team(0), toTeam: team(1) })
const unknown = '00000000-0000-4000-8000-999999999999'
const configOf = ({ world }: Grown): string => readFileSync(join(world.home, 'config.yaml'), 'utf8')

/** How the work of each operation grows with all there is. */
const table: Readonly<Record<OperationName, Row | { readonly left: string }>> = {
  list_teams: linear(),
  team_status: linear(),
  // A start hides what belongs to each other team.
  team_wake: talks(linear(({ team }, round) => ({ team: team(2 + round) }))),
  team_launch: talks(linear(({ team }, round) => ({ team: team(4 + round) }))),
  team_wake_all: { left: 'it starts a process for each team' },
  team_sleep: talks(flat(({ team }, round) => ({ team: team(2 + round), force: true }))),
  session_fork: flat((grown, round) => ({ ...pair(grown), newThread: `fork-${round}` })),
  session_attach: refused('unknown_session', ({ team }) => ({ fromTeam: team(0), team: team(3) })),
  send_message: talks(flat((grown) => ({ ...pair(grown), message: 'Hello', timeout: 0 }))),
  ask_message: talks(flat((grown) => ({ ...pair(grown), message: 'Hello', timeout: 0 }))),
  quick_message: goesOn(flat((grown) => ({ ...pair(grown), message: 'Hello' }))),
  message_status: flat(({ turn }) => ({ turnId: turn(5) })),
  late_answers: refused('invalid_input', () => ({ take: true })),
  session_wait: linear(({ team }) => ({ team: team(6), timeout: -1 })),
  return_value: refused('invalid_input', () => ({ value: 1 })),
  chat_reply: refused('invalid_input', () => ({ text: 'Hello' })),
  chat_react: refused('invalid_input', () => ({ reaction: 'ok' })),
  chat_send_file: refused('invalid_input', () => ({ path: 'file' })),
  chat_history: refused('invalid_input'),
  retry_message: goesOn(flat(({ failed }, round) => ({ turnId: failed(round) }))),
  dismiss_failure: flat(({ failed }, round) => ({ turnId: failed(5 + round) })),
  promote_turn: refused('not_found', ({ turn }) => ({ turnId: turn(5) })),
  notify: flat((grown) => ({ ...pair(grown), message: 'News' })),
  session_report: flat((grown) => ({ ...pair(grown), thread: 'long', ...page })),
  list_sessions: flat(() => page),
  session_stats: linear(),
  get_inbox: linear(() => page),
  list_inbox: linear(() => page),
  mark_inbox: flat(({ failed }, round) => ({ subjects: [`failed:${failed(5 + round)}`], state: 'done' })),
  get_switchboard: linear(),
  list_turns: flat(() => page),
  trace_turn: flat(({ turn }) => ({ turnId: turn(5), ...page })),
  stats_over_time: linear(() => ({ since: 0 })),
  search_messages: flat(() => ({ query: 'word', ...page })),
  list_events: flat(() => page),
  list_schedules: linear(),
  get_usage: linear(() => ({ since: 0 })),
  find_patterns: linear(() => ({ since: 0 })),
  list_drift: linear(() => page),
  reflect: linear(() => ({ since: 0 })),
  list_healings: flat(() => page),
  decide_suggestion: refused('invalid_input', () => ({ suggestionId: 'none', decision: 'refused' })),
  session_turns: flat(({ long }) => ({ sessionId: long, ...page })),
  turn_transcript: flat(({ turn }) => ({ turnId: turn(5) })),
  get_attachment: refused('not_found', ({ turn }) => ({ turnId: turn(5), number: 1 })),
  session_cancel: flat(({ team }) => ({ fromTeam: team(6), toTeam: team(7) })),
  session_reboot: talks(linear(({ team }, round) => ({ fromTeam: team(4 + round), team: team(5 + round) }))),
  session_delete: linear(({ team }, round) => ({
    fromTeam: team(2 + round),
    team: team(3 + round),
    deleteTranscripts: true,
  })),
  list_permissions: flat(() => page),
  answer_permission: refused('unknown_permission', () => ({ permissionId: unknown, decision: 'allow' })),
  session_questions: flat(() => ({ console: 'a session', configDirectory: '/nowhere' })),
  list_rules: linear(),
  revoke_rule: flat((_, round) => ({ grant: 1 + round })),
  get_logs: flat(() => page),
  get_health: linear(),
  get_date: flat(),
  get_agent: linear(({ team }) => ({ agentType: 'code-reviewer', team: team(1) })),
  list_agents: talks(linear(({ team }) => ({ team: team(1) }))),
  invoke_agent: {
    ...talks(linear(({ team }) => ({ fromTeam: team(0), team: team(1), agentName: 'none', prompt: 'Hello' }))),
    refusal: 'unknown_agent',
  },
  list_audit: flat(() => page),
  verify_audit: linear(),
  list_logins: flat(),
  revoke_login: refused('not_found', () => ({ loginId: 'none' })),
  // The refusal compares the name with that of each team.
  create_token: {
    grows: 'linearly',
    input: () => ({ program: 'ci', teams: 'no-such-team' }),
    refusal: 'unknown_team',
  },
  list_tokens: flat(),
  rotate_token: refused('not_found', () => ({ program: 'ci' })),
  revoke_token: refused('not_found', () => ({ program: 'ci' })),
  list_callbacks: flat(),
  test_callback: refused('not_found', () => ({ callback: 'none' })),
  replay_callback: refused('not_found', () => ({ callback: 'none', since: 0 })),
  enable_callback: refused('not_found', () => ({ callback: 'none' })),
  list_channels: flat(),
  change_channel: refused('not_found', () => ({ channel: 'none', action: 'remove', who: 'nobody' })),
  test_channel: refused('not_found', () => ({ channel: 'none' })),
  list_triggers: flat(),
  test_trigger: refused('not_found', () => ({ trigger: 'none', event: {} })),
  list_skipped: refused('not_found', () => ({ channel: 'none' })),
  replay_skipped: refused('not_found', () => ({ channel: 'none' })),
  viewer_overview: linear(),
  viewer_messages: flat(({ team }) => ({ team: team(0), conversation: 'main' })),
  viewer_send: goesOn(flat(({ team }) => ({ team: team(1), conversation: 'main', message: 'Hello' }))),
  viewer_stop: refused('unknown_turn', ({ turn }) => ({ turnId: turn(5) })),
  viewer_search: flat(() => ({ query: 'word' })),
  cluster_status: flat(),
  drain_host: refused('not_found', () => ({ drained: true })),
  leave_cluster: refused('not_found'),
  forget_host: refused('not_found', () => ({ host: 'none' })),
  forget_unreachable_hosts: refused('not_found'),
  keep_servers: refused('not_found'),
  get_config: linear(),
  check_config: linear((grown) => ({ text: configOf(grown) })),
  save_config: linear((grown) => {
    const text = configOf(grown)
    return { text, hash: sha256(text) }
  }),
  debug_session: flat((grown) => pair(grown)),
  permissions__approve: flat(() => ({ tool_name: 'Bash', input: {} })),
}

/** What may come on top, whatever there is: work of timers, and of what is made once. */
const slack: Work = { calls: 400, statements: 15, rows: 60, files: 60, programs: 1, turns: 20 }
/** Calls on top where a process takes part. */
const heard = 3000
/** Ten times as much, and the logarithm of a sort or a search. */
const factors: Readonly<Record<Grows, number>> = { not: 1.3, linearly: 12 }

interface Counted {
  readonly name: string
  readonly row: Row
  readonly work: Work
}

async function countAll(size: number): Promise<Counted[]> {
  await using counter = await WorkCounter.begin()
  const grown = await grownWorld(size)
  await using world = grown.world
  // The work of timers belongs to no operation.
  const clock = new JumpingClock({ movesMachine: true })
  const daemon = await startDaemon({ home: world.home, env: world.env, daemonPid: 0, clock })
  try {
    await Promise.all([daemon.recovered, daemon.discovered, daemon.warmed])
    const auth = { principal: theOwner, team: undefined, parent: undefined }
    const call = { auth, signal: new AbortController().signal, progress: () => {}, idempotencyKey: undefined } as const
    const run = (name: OperationName, input: object) => daemon.operations.call(name, input, call)
    const rows = operationNames.flatMap((name) => {
      const row = table[name]
      return 'left' in row ? [] : [{ name, row }]
    })
    // The first round pays for what is made once. A message pays for what all processes have in common.
    for (const { name, row } of rows)
      if (!row.talks || name === 'send_message') await callOne(name, row, row.input(grown, 0), run).catch(() => {})
    await counter.rest()
    const counted: Counted[] = []
    for (const { name, row } of rows) {
      const given = row.input(grown, 1)
      counted.push({ name, row, work: await counter.during(() => callOne(name, row, given, run)) })
      if (row.talks) await counter.rest()
    }
    const installation = { home: world.home, env: world.env, daemon: undefined }
    const work = await counter.during(() => diagnose(installation))
    return [...counted, { name: 'iris doctor', row: talks(linear()), work }]
  } finally {
    await daemon.stop(0)
  }
}

type Run = (name: OperationName, input: object) => Promise<Record<string, unknown>>

async function callOne(name: OperationName, { refusal, goesOn: isOpen }: Row, input: object, run: Run): Promise<void> {
  let result: Record<string, unknown> | undefined
  let code: string | undefined
  try {
    result = await run(name, input)
  } catch (error) {
    code = error instanceof IrisError ? error.code : String(error)
  }
  expect({ name, code }).toEqual({ name, code: refusal })
  if (isOpen) await run('message_status', { turnId: result!['turnId'], timeout: 0 })
}

/** What these do for all teams or conversations, they do in slices: nobody else waits until they are done. */
const inSlices: readonly OperationName[] = [
  'get_switchboard',
  'team_status',
  'get_health',
  'get_config',
  'check_config',
  'save_config',
]

test('with ten times as much, no operation and no check of iris doctor does more than ten times the work', async () => {
  const [few, many] = [await countAll(8), await countAll(80)]
  const breaches = many.flatMap(({ name, row, work }, at) => {
    const { work: before } = few[at]!
    return (Object.keys(slack) as (keyof Work)[]).flatMap((kind) => {
      const most = before[kind] * factors[row.grows] + slack[kind] + (row.talks && kind === 'calls' ? heard : 0)
      const grew = `${name}: ${kind} grew from ${before[kind]} to ${work[kind]}, and the table says: ${row.grows}`
      return work[kind] <= most ? [] : [grew]
    })
  })
  expect(breaches).toEqual([])
  const turnsOf = (counted: readonly Counted[], name: string) => counted.find((each) => each.name === name)!.work.turns
  const more = inSlices.map((name) => [name, turnsOf(many, name) - turnsOf(few, name)] as const)
  expect(more.filter(([, turns]) => turns < 4)).toEqual([])
})
