import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sendForJson } from '../../adapters/client/send.ts'
import type { Output } from '../../adapters/client/tool-call.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { type DemoParts, reasonOf } from './demo.ts'
import { type DemoWorld, makeDemoWorld } from './demo-world.ts'
import { fillStore } from './fill-store.ts'
import { planted, type RecordedWeek, recordedWeek } from './recorded-week.ts'
import { sampleScript } from './sample-script.ts'
import { startScriptedModel } from './scripted-model.ts'

export interface InsightDemoOutcome {
  readonly directory: string
  /** A pattern that is hidden in the week, and the words in which Iris reported it. */
  readonly planted: Readonly<Record<string, string>>
}

interface InsightDemoParts extends Omit<DemoParts, 'live' | 'bridge'> {
  /** Returns when the person has seen the page. */
  readonly stay: () => Promise<void>
}

const seed = 18

/**
 * A separate Iris whose store contains an invented week with patterns in it. Prints which patterns Iris found and the
 * address of the Insight page. Throws when Iris missed a pattern. Everything it started has ended before it returns or
 * throws.
 */
export async function runInsightDemo(parts: InsightDemoParts): Promise<InsightDemoOutcome> {
  const { env, say, signal } = parts
  const model = await startScriptedModel({ script: sampleScript })
  const world = withMoreTeams(makeDemoWorld(env, model.url))
  const week = recordedWeek(seed, midnight())
  fillStore(join(world.home, 'data/team-sessions.db'), week)
  try {
    const { port } = await parts.startDaemon(world.home, world.env)
    signal.throwIfAborted()
    const url = `http://127.0.0.1:${port}`
    const reported = await compare(url, world, week)
    say(
      `The week is invented: ${week.turns.length} messages between four teams, with ${reported.length} patterns in it.\n`,
    )
    const width = Math.max(...reported.map(([hidden]) => hidden.length))
    say(`  ${'hidden in it'.padEnd(width)}   reported by Iris`)
    for (const [hidden, found] of reported) say(`  ${hidden.padEnd(width)}   ${found}`)
    say(`\nThe Insight page    ${await loginLink(url, world)}`)
    say(`Another link        IRIS_HOME=${world.home} iris dashboard    (a link works once, within a minute)`)
    say(`In the terminal     IRIS_HOME=${world.home} iris insight reflect      (or: patterns, drift)`)
    await parts.stay()
    return { directory: world.root, planted: Object.fromEntries(reported) }
  } catch (error) {
    throw reasonOf(error, signal, world.root)
  } finally {
    await parts.stopDaemon(world.home)
    await model.close()
  }
}

/** Today's midnight in local time, in milliseconds since the epoch. */
function midnight(): number {
  return new Date().setHours(0, 0, 0, 0)
}

function withMoreTeams(world: DemoWorld): DemoWorld {
  for (const [team, description] of [
    ['mobile', "The shop's app."],
    ['billing', 'Payments and invoices.'],
  ] as const) {
    const path = join(dirname(world.projects.backend), team)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'CLAUDE.md'), `# ${team}\n\n${description}\n`)
    appendFileSync(
      join(world.home, 'config.yaml'),
      `  ${team}:\n    path: ${JSON.stringify(path)}\n    description: ${JSON.stringify(description)}\n`,
    )
  }
  return world
}

const answerMs = 30_000

type Reported = readonly (readonly [hidden: string, found: string])[]

/** Each hidden pattern with the words of its report. Throws when one was not found. */
async function compare(url: string, world: DemoWorld, { outdated, givenAgain }: RecordedWeek): Promise<Reported> {
  const ask = async <Found>(path: string): Promise<Found> => {
    const { status, body } = await sendForJson(`${url}${path}`, ownerOf(world))
    if (status !== 200) throw new IrisError('internal', `${path}: HTTP ${status}`, 'See the log of the daemon.')
    return body as Found
  }
  const offset = -new Date().getTimezoneOffset()
  const patterns = await ask<Output<'find_patterns'>>(`/api/insight/patterns?offsetMinutes=${offset}`)
  const reflection = await ask<Output<'reflect'>>('/api/insight/reflection')
  const { changed } = await ask<Output<'list_drift'>>('/api/insight/drift')
  const [first, second, third] = planted.chain
  const asked = (question: string): string | undefined => {
    const found = patterns.repeated.find(({ message }) => message === question)
    // Reporting noise as a repeated question would be wrong too.
    if (patterns.repeated.length !== 3 || reflection.askedTwice.length !== 3) return undefined
    return found && `"${question}", ${found.times} times`
  }
  const { chains, failing, peaks, slowTools } = patterns
  const { rules, contradicted, circles, kept } = reflection
  const found: readonly (readonly [string, string | undefined])[] = [
    ['a question, asked 6 times', asked(planted.endpoint)],
    ['a question, asked 4 times', asked(planted.sandbox)],
    ['a question, asked 3 times', asked(planted.cart)],
    [
      `${first} asks ${second}, which asks ${third}`,
      only(chains, ({ from, to, next, times, asks }) => `${from} → ${to} → ${next}, ${times} of ${asks} times`),
    ],
    [
      `${planted.failing.join(' → ')} fails`,
      only(failing, ({ from, to, failed, ended }) => `${from} → ${to}, ${failed} of ${ended} messages`),
    ],
    [
      `a busy hour at ${planted.busyHour}:00`,
      only(peaks, ({ begin, end, factor }) => `${begin}:00 to ${end}:00, ${factor.toFixed(1)} times the average`),
    ],
    ['a slow tool', only(slowTools, ({ team, tool, p50Ms }) => `${team}, ${tool}, p50 ${Math.round(p50Ms / 1000)} s`)],
    ['a question always allowed', only(rules, ({ team, rule, times }) => `${team}, ${rule}, ${times} times`)],
    [
      'two answers that contradict',
      only(contradicted, ({ said, saidLater }) => `${said.join(', ')}, later ${saidLater.join(', ')}`),
    ],
    ['an agent in a circle', only(circles, ({ what, rounds }) => `${what}, ${rounds} times`)],
    ['a reused answer', kept.times === givenAgain.times ? `${kept.times} times` : undefined],
    [
      'a file that changed',
      changed.length === outdated.length ? `${changed[0]!.path}, since ${changed.length} answers` : undefined,
    ],
  ]
  return found.map(([hidden, words]) => {
    if (words === undefined) throw new IrisError('internal', `Iris did not find: ${hidden}.`, 'Report it as a fault.')
    return [hidden, words] as const
  })
}

/** The only item; undefined unless there is exactly one. */
function only<Each>(found: readonly Each[], words: (each: Each) => string): string | undefined {
  return found.length === 1 ? words(found[0]!) : undefined
}

async function loginLink(url: string, world: DemoWorld): Promise<string> {
  const { body } = await sendForJson(`${url}/login/codes`, { method: 'POST', ...ownerOf(world) })
  const { path } = body as { path: string }
  return `${url}${path}`
}

function ownerOf({ home }: DemoWorld) {
  const authorization = `Bearer ${readFileSync(join(home, 'owner'), 'utf8').trim()}`
  return { headers: { authorization }, signal: AbortSignal.timeout(answerMs) }
}
