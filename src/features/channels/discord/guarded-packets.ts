import type { Client } from 'discord.js'
import type { ChatInbox } from '../chat-platform.ts'

/** The private parts of the library's manager that Iris uses. */
interface Manager {
  handlePacket(...packet: readonly unknown[]): unknown
}

/** The library does not catch errors in its own handlers: an event without content would end the daemon. */
export function guardPackets({ ws }: Client, inbox: Pick<ChatInbox, 'readable'>): void {
  const manager = ws as unknown as Manager
  const handle = manager.handlePacket.bind(manager)
  manager.handlePacket = (...packet) => inbox.readable(() => handle(...packet))
}
