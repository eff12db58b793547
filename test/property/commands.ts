import { rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { homePaths } from '../../src/platform/config/home.ts'
import { transcriptPath } from '../fake-claude/transcript-files.ts'
import { plan, teams, timeout } from './question.ts'
import type { Simulation } from './simulation.ts'
import type { Told } from './simulation-options.ts'
import { Life } from './time.ts'

interface Kind<Args> {
  /** How often it comes, beside the others. */
  readonly weight: number
  readonly args: fc.Arbitrary<Args>
  readonly run: (args: Args, simulation: Simulation) => void | Promise<void>
}

function kind<Args>(of: Kind<Args>): Kind<Args> {
  return of
}

const hour = 3_600_000
const day = 24 * hour
/** Few conversations, so that much comes together in one. */
const pair = {
  from: fc.constantFrom('external', 'external', 'external', ...teams),
  to: fc.constantFrom('a', 'a', 'a', ...teams),
  thread: fc.constantFrom('main', 'main', 'main', 'main', 'other'),
}
const nth = fc.nat(20)
const how = fc.constantFrom('SIGTERM' as const, 'SIGKILL' as const, 'stdin' as const, 'power cut' as const)
const downMs = fc.constantFrom(0, 50, 3000, hour, 40 * day)

/** What can happen in months, one entry each. A new operation is one more. */
export const kinds = {
  ask: kind({
    weight: 24,
    args: fc.record({ ...pair, timeout, plan: plan(2), key: fc.boolean() }),
    run: ({ from, to, thread, timeout, plan, key }, simulation) => {
      const question = simulation.pose(plan, from, to, thread)
      simulation.send(question, timeout, key ? question.id : undefined)
    },
  }),
  /** The same call again, by a client that heard nothing or too much. */
  askAgain: kind({
    weight: 4,
    args: fc.record({ nth, timeout }),
    run: ({ nth, timeout }, simulation) => {
      const { question } =
        pick(
          simulation.told.filter(({ input }) => 'idempotencyKey' in input),
          nth,
        ) ?? {}
      if (question) simulation.send(question, timeout, question.id)
    },
  }),
  status: kind({
    weight: 3,
    args: fc.record({ nth, timeout }),
    run: ({ nth, timeout }, simulation) => {
      const told = pick(accepted(simulation), nth)
      if (told) simulation.call('message_status', { turnId: turnIdOf(told), timeout }, told.question)
    },
  }),
  hangUp: kind({
    weight: 2,
    args: fc.record({ nth }),
    run: ({ nth }, { told }) => pick(told, nth)?.hangUp(),
  }),
  cancel: kind({
    weight: 4,
    args: fc.record({ nth, byTurn: fc.boolean() }),
    run: ({ nth, byTurn }, simulation) => {
      const turn = pick(simulation.ledger?.underWay() ?? [], nth)
      if (turn === undefined) return
      if (byTurn) simulation.cancelled.add(turn.id)
      else simulation.cancelAll(turn)
      simulation.call('session_cancel', byTurn ? { turnId: turn.id } : ofPair(turn))
    },
  }),
  reboot: kind({
    weight: 2,
    args: fc.record({ ...pair, force: fc.boolean() }),
    run: ({ force, ...of }, simulation) => {
      if (force) simulation.cancelAll(of)
      simulation.forgotten(of)
      simulation.call('session_reboot', { ...ofPair(of), force })
    },
  }),
  delete: kind({
    weight: 2,
    args: fc.record({ ...pair, force: fc.boolean(), deleteTranscripts: fc.boolean() }),
    run: ({ force, deleteTranscripts, ...of }, simulation) => {
      if (force) simulation.cancelAll(of)
      simulation.forgotten(of)
      simulation.call('session_delete', { ...ofPair(of), force, deleteTranscripts })
    },
  }),
  wakeAll: kind({
    weight: 1,
    args: fc.record({ parallel: fc.boolean() }),
    run: (args, simulation) => void simulation.call('team_wake_all', args),
  }),
  wake: kind({
    weight: 2,
    args: fc.record(pair),
    run: (args, simulation) => void simulation.call('team_wake', ofPair(args)),
  }),
  sleep: kind({
    weight: 3,
    args: fc.record({ ...pair, force: fc.boolean() }),
    run: ({ force, ...of }, simulation) => {
      if (force) simulation.cancelAll(of)
      simulation.call('team_sleep', { ...ofPair(of), force })
    },
  }),
  notify: kind({
    weight: 3,
    args: fc.record({ ...pair, key: fc.boolean() }),
    run: ({ from, to, thread, key }, simulation) => {
      const message = `notice=n${simulation.told.length};`
      const sender = from === 'external' ? {} : { fromTeam: from }
      const again = key ? { idempotencyKey: message } : {}
      simulation.call('notify', { toTeam: to, message, thread, ...sender, ...again })
      if (key) simulation.call('notify', { toTeam: to, message, thread, ...sender, ...again })
    },
  }),
  look: kind({
    weight: 1,
    args: fc.constantFrom(
      'list_teams' as const,
      'team_status' as const,
      'list_sessions' as const,
      'session_stats' as const,
    ),
    run: (name, simulation) => void simulation.call(name, {}),
  }),
  /** A process of Claude Code dies, now or when it has written some lines more. */
  kill: kind({
    weight: 6,
    args: fc.record({ nth, lines: fc.nat(40) }),
    run: ({ nth, lines }, simulation) => {
      const process = pick([...simulation.machine.processes], nth)
      if (process === undefined) return
      simulation.disturbed(process.sessionId)
      process.dieAfter(lines)
    },
  }),
  /** The next processes die before they are ready, or just then. */
  killAtStart: kind({
    weight: 3,
    args: fc.array(fc.constantFrom(0, 50, 100, 101), { minLength: 1, maxLength: 3 }),
    run: (afterMs, simulation) => simulation.machine.killStarts(afterMs),
  }),
  fullDisk: kind({
    weight: 3,
    args: fc.record({
      how: fc.constantFrom('full' as const, 'readonly' as const),
      ms: fc.constantFrom(100, 3000, 60_000, hour),
    }),
    run: ({ how, ms }, simulation) => {
      const { daemon, time } = simulation
      if (daemon === undefined) return
      simulation.hadFullDisk = true
      daemon.fillDisk(how)
      time.clock(new Life()).after(ms, () => daemon.fillDisk(undefined))
    },
  }),
  crash: kind({
    weight: 3,
    args: fc.record({ how, downMs }),
    run: ({ how, downMs }, simulation) => simulation.crash(how, downMs),
  }),
  crashAt: kind({
    weight: 5,
    args: fc.record({
      at: fc.constantFrom(
        'accepted' as const,
        'written' as const,
        'result-read' as const,
        'settled' as const,
        'traffic' as const,
        'traffic' as const,
      ),
      count: fc.integer({ min: 1, max: 30 }),
      how,
      downMs,
    }),
    run: ({ at, count, how, downMs }, simulation) =>
      simulation.crashAt(at, at === 'traffic' ? count : Math.ceil(count / 10), how, downMs),
  }),
  restart: kind({
    weight: 2,
    args: fc.record({ graceMs: fc.constantFrom(0, 500, 30_000) }),
    run: ({ graceMs }, simulation) => simulation.restart(graceMs),
  }),
  /** Takes effect with the next life of the daemon. */
  edit: kind({
    weight: 2,
    args: fc.record({
      maxProcesses: fc.integer({ min: 1, max: 4 }),
      queueLength: fc.constantFrom(1, 32),
      idleTimeout: fc.constantFrom(1000, 30_000_000),
      archiveAfterDays: fc.constantFrom(30, 90),
      deleteArchivedFiles: fc.boolean(),
      onContextFull: fc.constantFrom('compact' as const, 'reset' as const, 'rotate' as const),
      prewarmPairs: fc.constantFrom(0, 3),
      onInterrupted: fc.constantFrom('continue' as const, 'report' as const),
    }),
    run: (settings, simulation) => simulation.edit(settings),
  }),
  pass: kind({
    weight: 6,
    args: fc.constantFrom(120, 2500, 60_000, 700_000, 3 * hour, day, 120 * day),
    run: async (ms, simulation) => void (await simulation.time.pass(ms)),
  }),
  setWallClock: kind({
    weight: 1,
    args: fc.constantFrom(-day, hour, 60 * day),
    run: (ms, simulation) => simulation.time.setWallClock(ms),
  }),
  /** As the CLI of a person does after thirty days; `kept`: someone takes Iris's second name of it too. */
  deleteTranscript: kind({
    weight: 1,
    args: fc.record({ nth, kept: fc.boolean() }),
    run: ({ nth, kept }, simulation) => {
      const session = pick(simulation.ledger?.all('SELECT session_id AS id FROM team_sessions ORDER BY id') ?? [], nth)
      const id = session && String(session['id'])
      const path = id && transcriptPath(simulation.home, id)
      if (!id || !path) return
      simulation.disturbed(id)
      rmSync(path)
      if (kept)
        rmSync(join(homePaths(simulation.config.home).transcripts, basename(dirname(path)), basename(path)), {
          force: true,
        })
    },
  }),
} as const

/** One thing that happens, and how far the world continues before the next: steps in the same moment, then time. */
export interface Command {
  readonly name: keyof typeof kinds
  readonly args: unknown
  readonly steps: number
  readonly ms: number
}

const names = Object.keys(kinds) as (keyof typeof kinds)[]

export const command: fc.Arbitrary<Command> = fc.oneof(
  ...names.map((name) => ({
    weight: kinds[name].weight,
    arbitrary: fc.record({
      name: fc.constant(name),
      args: kinds[name].args as fc.Arbitrary<unknown>,
      steps: fc.oneof(fc.constant(0), fc.nat(30)),
      ms: fc.constantFrom(0, 0, 0, 30, 110, 1000),
    }),
  })),
)

export async function run({ name, args, steps, ms }: Command, simulation: Simulation): Promise<void> {
  await (kinds[name] as Kind<unknown>).run(args, simulation)
  for (let step = 0; step < steps; step++) await simulation.time.step()
  if (ms > 0) await simulation.time.pass(ms)
}

function pick<T>(from: readonly T[], nth: number): T | undefined {
  return from.length === 0 ? undefined : from[nth % from.length]
}

function ofPair({ from, to, thread }: { from: string; to: string; thread: string }) {
  return { team: to, thread, ...(from !== 'external' && { fromTeam: from }) }
}

function accepted({ told }: Simulation): Told[] {
  return told.filter(({ result }) => result?.['turnId'] !== undefined)
}

function turnIdOf({ result }: Told): unknown {
  return result?.['turnId']
}
