import { setTimeout as delay } from 'node:timers/promises'
import { type Line, lengthOf } from '../src/base/agent/line.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { TestIris } from '../test/support/iris.ts'
import { longestStall } from './event-loop.ts'
import { ask } from './in-process.ts'
import { ms, summarize } from './measure.ts'
import type { Row } from './row.ts'

const rounds = 9
/** The CLI says a tool's result twice on its line. */
const bytes = 5_000_000
/** Until the transcripts for people are written too. */
const writtenMs = 500

const texts: Readonly<Record<string, string>> = {
  'plain text': 'x',
  'text with line feeds and quotes': 'a line of "code"\n',
  'text in other scripts': 'größer – 日本語\n',
}

/** P5: how long the event loop is held up by a tool result of 10 MB on one line, all that is done with it included. */
export async function longLine(): Promise<readonly Row[]> {
  const rows = [await stalls('a small line', 'ok')]
  for (const [what, piece] of Object.entries(texts)) {
    const long = piece.repeat(bytes / Buffer.byteLength(JSON.stringify(piece).slice(1, -1)))
    rows.push(await stalls(`a line of 10 MB, ${what}`, long))
  }
  return rows
}

async function stalls(what: string, output: string): Promise<Row> {
  using fake = fakeClaude({ script: { rules: [{ steps: [{ tool: { name: 'Read', output } }, { text: 'done' }] }] } })
  await using iris = await TestIris.start({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
  let longest = 0
  iris.events$.subscribe((event) => {
    if (event.type === 'turn-message') longest = Math.max(longest, lengthOf(event.message as Line))
  })
  await ask(iris, 'warm up')
  if (longest < 2 * output.length) throw new Error(`the longest line has only ${longest} characters`)
  const wall: number[] = []
  const cpu: number[] = []
  for (let round = 0; round < rounds; round++) {
    const stall = await longestStall(async () => {
      await ask(iris, 'go')
      await delay(writtenMs)
    })
    wall.push(stall.wall)
    cpu.push(stall.cpu)
  }
  const [byClock, own] = [summarize(wall), summarize(cpu)]
  return {
    id: 'P5',
    what: `longest hold-up of the event loop: ${what}`,
    measured: `${ms(own.p50)} of its own time (by the clock ${ms(byClock.p50)}, least ${ms(byClock.min)}, n=${own.n})`,
    aim: '≤ 50 ms',
    data: { wall: byClock, cpu: own },
  }
}
