import type { Surroundings } from './context.ts'

/** The process itself, for the program. Its streams and its directory are looked up when a command uses them. */
export const thisProcess: Surroundings = {
  get env() {
    return process.env
  },
  get cwd() {
    return process.cwd()
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
