/**
 * A signal to 0 or below goes to a whole group of processes: to the test run and whatever started it. An id that was read
 * from a file half written is 0.
 */
const kill = process.kill.bind(process)
process.kill = (pid, signal) => {
  if (!(pid > 0)) throw new Error(`A test sends ${signal ?? 'SIGTERM'} to ${pid}, which is no process.`)
  return kill(pid, signal)
}
