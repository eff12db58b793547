import { IrisError } from '../../base/protocol/error.ts'
import type { Surroundings } from './context.ts'

/** The process itself, for the program. Its streams and its directory are looked up when a command uses them. */
export const thisProcess: Surroundings = {
  get env() {
    return process.env
  },
  get cwd() {
    return workingDirectory()
  },
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  get parentPid() {
    return process.ppid
  },
  onSignal: (signal, listener) => {
    process.on(signal, listener)
    return () => void process.off(signal, listener)
  },
  raise: (signal) => void process.kill(process.pid, signal),
}

function workingDirectory(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new IrisError(
      'file_refused',
      'The directory in which you run this command was removed.',
      'Change to another directory, then try again.',
      { cause },
    )
  }
}
