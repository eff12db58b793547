import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { SocketHolders } from './socket-holders.ts'

/**
 * The listener on a TCP port: `process 1234 (node server.js)`, or only the user it belongs to. Undefined if nothing
 * listens on the port. Linux only.
 */
export async function listenerOn(port: number): Promise<string | undefined> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = await readFile(table, 'latin1').catch(() => '')
    for (const row of rows.split('\n')) {
      // ` 3: 0100007F:064F 00000000:0000 0A … uid timeout inode …`; state 0A is LISTEN.
      const columns = row.trim().split(/\s+/)
      const [local = '', state, uid, inode = '0'] = [columns[1], columns[3], columns[7], columns[9]]
      if (state !== '0A' || !local.endsWith(wanted)) continue
      const pid = (await new SocketHolders().of([inode])).get(inode)?.pid
      return pid === undefined ? `a process of user id ${uid}` : `process ${await describeProcess(pid)}`
    }
  }
  return undefined
}

/** `1234 (node server.js)`: the pid and the first two names of the command line. */
export async function describeProcess(pid: number): Promise<string> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
  const names = words.filter((word) => word !== '' && !word.startsWith('-')).slice(0, 2)
  return names.length === 0 ? String(pid) : `${pid} (${names.map((name) => basename(name)).join(' ')})`
}
