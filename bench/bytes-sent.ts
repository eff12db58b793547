import { fakeClaude } from '../test/support/fake-claude.ts'
import { TestIris } from '../test/support/iris.ts'
import { recordedInput } from '../test/support/recorded-input.ts'
import { ask } from './in-process.ts'
import type { Row } from './row.ts'

const turns = 1000

/** P8: what Claude Code is sent for one and the same message, early and late in a conversation. */
export async function bytesSent(): Promise<readonly Row[]> {
  using fake = fakeClaude({ bare: true })
  const input = recordedInput(fake)
  await using iris = await TestIris.start({ settings: { claudePath: input.claudePath, env: { ...fake.env } } })
  const sent: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const before = input.messageBytes()
    await ask(iris, 'hello')
    sent.push(input.messageBytes() - before)
  }
  const [first, second, last] = [sent[0]!, sent[1]!, sent.at(-1)!]
  return [
    {
      id: 'P8',
      what: `bytes of the message sent to the CLI for one of 5: turn 2 and turn ${turns}`,
      measured: `${second} and ${last} (turn 1, with what a process is told at its start: ${first})`,
      aim: 'constant',
      data: { first, second, last, all: [...new Set(sent.slice(1))] },
    },
  ]
}
