import type { Client } from 'discord.js'
import type { ChatInbox } from '../chat-platform.ts'

/** What Iris uses of the library's manager, where it is private. */
interface Manager {
  handlePacket(...packet: readonly unknown[]): unknown
}

/** The library does not catch errors of its own handlers: an event without content would end the daemon. */
export function guardPackets({ ws }: Client, inbox: Pick<ChatInbox, 'readable'>): void {
  const manager = ws as unknown as Manager
  const handle = manager.handlePacket.bind(manager)
  manager.handlePacket = (...packet) => inbox.readable(() => handle(...packet))
}
