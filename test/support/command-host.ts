import { createInterface } from 'node:readline'
import { runCommand } from './run-command.ts'

/** Runs each command that a line of stdin names, one after the other, and answers with a line on stdout. */
for await (const line of createInterface({ input: process.stdin })) {
  const { world, words, options } = JSON.parse(line)
  const ending = await runCommand(world, words, options)
  process.stdout.write(`${JSON.stringify(ending)}\n`)
}
// A command that was refused may have left a timer.
process.exit(0)
