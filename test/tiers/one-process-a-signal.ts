/**
 * A signal to 0 goes to the test run and whatever started it, one to -1 to every process of the user. An id that was read
 * from a file half written is 0. The group of one process stays allowed: `-pid` of a child with its own group.
 */
const kill = process.kill.bind(process)
process.kill = (pid, signal) => {
  if (!(pid > 0 || pid < -1)) throw new Error(`A test sends ${signal ?? 'SIGTERM'} to ${pid}, which is no process.`)
  return kill(pid, signal)
}
