import { quickAnswer } from './app/cli/quick-answer.ts'
import { tooOld } from './app/cli/too-old.ts'

const argv = process.argv.slice(2)
const answer = quickAnswer(argv)
const complaint = tooOld(process.versions.node)
if (answer !== undefined) process.stdout.write(`${answer}\n`)
else if (complaint !== undefined) {
  process.stderr.write(`${complaint}\n`)
  process.exitCode = 1
} else {
  const [{ runCommand }, { CommandContext }, { thisProcess }] = await Promise.all([
    import('./program.ts'),
    import('./app/cli/context.ts'),
    import('./app/cli/this-process.ts'),
  ])
  // The reader, such as `head`, has closed the pipe.
  process.stdout.on('error', () => process.exit(0))
  const exitCode = await runCommand(argv, new CommandContext(thisProcess))
  await written(process.stdout)
  await written(process.stderr)
  process.exit(exitCode)
}

/** `process.exit` drops what a pipe has not taken yet: a pipe holds 64 KiB. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) resolve()
    else stream.write('', () => resolve())
  })
}
