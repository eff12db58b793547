/** The fields with the words and files of a message, including a forwarded message or one to which another replies. */
export interface DiscordContent {
  readonly content: string
  readonly attachments?: readonly DiscordFile[] | undefined
  readonly embeds?: readonly DiscordEmbed[] | undefined
}

/** The fields of a Discord message that Iris reads. kinds.ts lists the others. */
export interface DiscordMessage extends DiscordContent {
  readonly id: string
  readonly channel_id: string
  readonly type: number
  readonly author: DiscordAuthor
  readonly webhook_id?: string | undefined
  readonly edited_timestamp?: string | null | undefined
  readonly mentions: readonly { readonly id: string }[]
  /** `type` 1: this message forwards another one. */
  readonly message_reference?: { readonly type?: number | undefined } | undefined
  /** Null if that message was deleted. Absent in a reply if Discord did not look it up. */
  readonly referenced_message?: (DiscordContent & { readonly author: DiscordAuthor }) | null | undefined
  readonly message_snapshots?: readonly { readonly message: DiscordContent }[] | undefined
}

export interface DiscordAuthor {
  readonly id: string
  readonly username: string
  readonly global_name?: string | null | undefined
  readonly bot?: boolean | undefined
}

export interface DiscordFile {
  readonly filename: string
  readonly size: number
  readonly url: string
}

/** `rich` for an embed of an app's post; the other types are previews of links. */
export interface DiscordEmbed {
  readonly type?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined
}
