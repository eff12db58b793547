import { fileTrouble } from './app/cli/file-trouble.ts'
import { quickAnswer } from './app/cli/quick-answer.ts'
import { tooOld } from './app/cli/too-old.ts'

// On SIGUSR1 Node opens its debugger on a port of this machine. Not every start passes --disable-sigusr1.
process.on('SIGUSR1', () => {})
await closeDebugger()

const argv = process.argv.slice(2)
process.stdout.on('error', outputLost)
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
  process.on('uncaughtException', refuse)
  const exitCode = await runCommand(argv, new CommandContext(thisProcess))
  await written(process.stdout)
  await written(process.stderr)
  // Its event may not have come yet.
  if (process.stdout.errored !== null) outputLost(process.stdout.errored)
  process.exit(exitCode)
}

/**
 * NODE_OPTIONS and editors open a debugger in each program. Through it an agent could run its code in a daemon, and act as the
 * owner in a bridge. On Node's own command line it is meant.
 */
async function closeDebugger(): Promise<void> {
  if (!process.features.inspector || process.execArgv.some((word) => /^--inspect(?:-brk|-wait)?(?:=|$)/.test(word)))
    return
  const { default: inspector } = await import('node:inspector')
  if (inspector.url() === undefined) return
  inspector.close()
  process.stderr.write(
    "iris: closed Node's debugger, because agents could run code through it. To debug Iris, name --inspect on the command line of node.\n",
  )
}

/** A reader such as `head` closes the pipe when it has enough. Any other loss is an error, or a script takes an empty file for the answer. */
function outputLost(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(
    `error: The output could not be written (${error.code ?? error.message}).\nCheck that its disk is not full. Iris keeps each answer: "iris result <turn>" shows it again.\n`,
  )
  process.exit(1)
}

/** A fault of Iris is shown with its place; what the system refuses is a sentence. */
function refuse(error: unknown): never {
  const known = fileTrouble(error)
  const fault = error instanceof Error ? error.stack : String(error)
  process.stderr.write(known === undefined ? `${fault}\n` : `error: ${known.message}\n${known.remedy}\n`)
  process.exit(1)
}

/** `process.exit` drops what a pipe has not taken yet: a pipe holds 64 KiB. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) resolve()
    else stream.write('', () => resolve())
  })
}
