/** `npm run chaos [-- what…] [--minutes 5] [--seed 7]`: each kind of chaos for its share of the time. */
import { parseArgs } from 'node:util'
import { answers } from './answers.ts'
import type { Chaos } from './chaos.ts'
import { chats } from './chats.ts'
import { cuts } from './cuts.ts'
import { hosts, leader } from './hosts.ts'
import { kills } from './kills.ts'
import { months } from './months.ts'
import { outbox } from './outbox.ts'
import { turns } from './turns.ts'

const kinds: Readonly<Record<string, () => Promise<Chaos>>> = {
  months,
  kills,
  turns,
  answers,
  cuts,
  chats,
  hosts,
  leader,
  outbox,
}

const usage = `npm run chaos [-- ${Object.keys(kinds).join('|')}…] [--minutes 5] [--seed 7]\n`

function givenArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '5' },
        seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`)
    process.exit(2)
  }
}

const { values, positionals } = givenArguments()
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const chosen = positionals.length > 0 ? positionals : Object.keys(kinds)
const unknown = chosen.filter((name) => !(name in kinds))
const [minutes, firstSeed] = [Number(values.minutes), Number(values.seed)]
if (unknown.length > 0 || !(minutes > 0) || !Number.isSafeInteger(firstSeed)) {
  process.stderr.write(usage)
  process.exit(2)
}

/** Whoever ends it early still learns what happened so far, and no daemon stays. */
let isEnded = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isEnded = true))

/** Rounds with one seed after the other until the time is over; false when a promise was broken. */
async function run(name: string, until: number): Promise<boolean> {
  const began = performance.now()
  const tally: Record<string, number> = {}
  await using chaos = await kinds[name]!()
  let seed = firstSeed
  try {
    for (; performance.now() < until && !isEnded; seed += 1) {
      for (const [what, value] of Object.entries(await chaos.round(seed))) {
        const known = tally[what] ?? 0
        tally[what] = what.startsWith('most ') ? Math.max(known, value) : known + value
      }
    }
    return true
  } catch (error) {
    process.stdout.write(`${name} broke a promise. Again: npm run chaos -- ${name} --seed ${seed}\n${String(error)}\n`)
    return false
  } finally {
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    process.stdout.write(
      `${name}: ${seed - firstSeed} rounds in ${seconds} s, seed ${firstSeed}: ${JSON.stringify(tally)}\n`,
    )
  }
}

let isWell = true
const shareMs = (minutes * 60_000) / chosen.length
for (const name of chosen) isWell = (await run(name, performance.now() + shareMs)) && isWell
process.exit(isWell ? 0 : 1)
