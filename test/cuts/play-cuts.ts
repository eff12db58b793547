import { createHash } from 'node:crypto'
import type { HostShell } from '../../src/platform/hosts/host.ts'
import { picker } from '../property/random.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { find, testHost } from '../support/test-host.ts'
import { type Cut, cutLink } from './cut-link.ts'

type Pick = (count: number) => number

/** What one play did, and what was wrong with it. */
export interface Played {
  readonly cuts: number
  readonly bytes: number
  readonly breaches: readonly string[]
}

/**
 * One program that echoes what it reads, on a host whose link is cut at random places. Every byte must come back once and in order, and the program must end by itself with 0.
 */
export async function playCuts(seed: number, sh: 'dash' | 'bash' | 'busybox', mostCuts: number): Promise<Played> {
  const pick = picker(seed)
  let left = mostCuts
  let cuts = 0
  let isStarted = false
  const link = (shell: HostShell): HostShell =>
    cutLink(shell, () => {
      if (left === 0) return undefined
      left -= 1
      cuts += 1
      // A machine under load takes longer to start a program than the cuts come after one another: some are kept for later.
      return isStarted || cuts <= mostCuts / 3 ? randomCut(pick) : { lingers: 0, afterMs: 3000 + pick(1000) }
    })
  const clock = hurriedClock(5)
  using host = testHost({ sh, clock, link })
  const sent = createHash('sha256')
  const command = { executable: find('cat'), args: [], cwd: host.home, env: {} }
  const options = { run: `run-${seed}`, tag: `iris.${seed}`, session: `session-${seed}`, graceMs: 600_000 }
  const child = await untilLinked(() => host.programs().start(command, options))
  isStarted = true
  const received = createHash('sha256')
  let [sentBytes, receivedBytes] = [0, 0]
  child.read((chunk) => {
    received.update(chunk)
    receivedBytes += chunk.length
    return pick(3) === 0 ? new Promise((resolve) => setTimeout(resolve, pick(5))) : undefined
  })
  const faults: string[] = []
  child.errors$.subscribe((error) => faults.push(error.message))
  let isRefused = false
  while (left > 0 && !isRefused) {
    const text = randomText(pick)
    sent.update(text)
    sentBytes += Buffer.byteLength(text)
    // How it ended is said below. What is refused is refused at once: a loop of that would let nothing else happen.
    const taken = child.write(text).catch(() => {
      isRefused = true
    })
    if (pick(3) > 0) await taken
  }
  clock.hurries = false
  const { code } = await child.stop('idle')
  const differs = sent.digest('hex') !== received.digest('hex')
  const bytes = differs ? [`${sentBytes} bytes were sent, ${receivedBytes} came back, and they differ`] : []
  const ended = code === 0 ? [] : [`it ended with ${code}: ${child.stderr()}`]
  return {
    cuts,
    bytes: sentBytes,
    breaches: [...bytes, ...ended, ...faults].map((what) => `seed ${seed}, ${sh}: ${what}`),
  }
}

/** A link may be cut before the host has said anything. */
async function untilLinked<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Error) || !/link was lost/.test(error.message)) throw error
    }
  }
}

function randomCut(pick: Pick): Cut {
  const lingers = pick(3) === 0 ? pick(40) : 0
  const afterMs = 60 + pick(200)
  const where = pick(5)
  if (where === 0) return { toHost: pick(4000), lingers, afterMs }
  if (where === 1) return { toHost: 1700 + pick(120_000), lingers, afterMs }
  if (where === 2) return { output: pick(60_000), lingers, afterMs }
  if (where === 3) return { status: pick(200), lingers, afterMs }
  return { lingers, afterMs }
}

/** Lines, pieces of lines, text that no shell passes on as it is, and long ones. */
function randomText(pick: Pick): string {
  const kind = pick(6)
  if (kind === 0) return `${'x'.repeat(pick(200_000))}\n`
  if (kind === 1)
    return ['\t', ' ', '\\', '\\n', "'", '"', '$(false)', '`', '%s', '\r', '\u0001', '\u2028', 'é', '\u0081\u0088']
      .map((each) => each.repeat(pick(4)))
      .join('')
  if (kind === 2) return `  ${pick(1000)} \\ -n  \n`
  return `${JSON.stringify({ type: 'user', number: pick(1_000_000), text: 'a'.repeat(pick(1500)) })}\n`
}
