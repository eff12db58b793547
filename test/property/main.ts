/** `npm run months [how many] [seed]`: plays random schedules, and says how fast. */
import fc from 'fast-check'
import { schedule, Theatre } from './schedule.ts'

const [count = '10000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
using theatre = await Theatre.open()
const began = performance.now()
let played = 0
const tally: Record<string, number> = {}
const property = fc.asyncProperty(schedule, async (each) => {
  const { breaches, tally: seen } = await theatre.play(each)
  played += 1
  if (played % 100 === 0) process.stdout.write(`${played}\n`)
  for (const [what, count] of Object.entries(seen)) tally[what] = (tally[what] ?? 0) + count
  if (breaches.length > 0) throw new Error(breaches.join('\n'))
})
process.stdout.write(`${count} schedules with seed ${seed}\n`)
const details = await fc.check(property, { numRuns: Number(count), seed: Number(seed) })
const seconds = (performance.now() - began) / 1000
process.stdout.write(
  `${played} played in ${seconds.toFixed(1)} s, ${(played / seconds).toFixed(0)} a second (${(process.cpuUsage().user / 1e6).toFixed(1)} s of work)\n`,
)
process.stdout.write(`${JSON.stringify(tally)}\n`)
if (details.failed) {
  process.stdout.write(`${JSON.stringify(details.counterexample?.[0])}\n${String(details.errorInstance)}\n`)
  process.exitCode = 1
}
