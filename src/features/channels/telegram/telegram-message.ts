/** The fields of a Bot API message that Iris reads. kinds.ts lists the others. */
export interface TelegramMessage {
  readonly message_id: number
  readonly date: number
  readonly chat: { readonly id: number; readonly type: string }
  readonly from?: Person | undefined
  /** A group or channel that posts in its own name. */
  readonly sender_chat?: Place | undefined
  readonly is_topic_message?: boolean | undefined
  readonly message_thread_id?: number | undefined
  readonly text?: string | undefined
  readonly caption?: string | undefined
  readonly entities?: readonly Entity[] | undefined
  readonly caption_entities?: readonly Entity[] | undefined
  /** One picture in several sizes, the largest last. */
  readonly photo?: readonly TelegramFile[] | undefined
  readonly document?: (TelegramFile & { readonly file_name?: string | undefined }) | undefined
  readonly animation?: unknown
  readonly forum_topic_created?: unknown
  readonly forward_origin?: Origin | undefined
  readonly reply_to_message?: TelegramMessage | undefined
  readonly external_reply?: ExternalReply | undefined
  readonly quote?: { readonly text: string } | undefined
}

/** A message from another chat, without its words. */
export interface ExternalReply {
  readonly origin: Origin
  readonly photo?: unknown
  readonly document?: unknown
  readonly animation?: unknown
}

/** The author of a forwarded message: a person, a person with a hidden account, a group or a channel. */
export interface Origin {
  readonly sender_user?: Person | undefined
  readonly sender_user_name?: string | undefined
  readonly sender_chat?: Place | undefined
  readonly chat?: Place | undefined
}

interface Place {
  readonly id: number
  readonly title?: string | undefined
}

interface TelegramFile {
  readonly file_id: string
  readonly file_size?: number | undefined
}

export interface Person {
  readonly id: number
  readonly is_bot: boolean
  readonly first_name: string
  readonly last_name?: string | undefined
}

export interface Entity {
  readonly type: string
  readonly offset: number
  readonly length: number
  /** Present in a `text_link`. */
  readonly url?: string | undefined
  /** Present in a `text_mention`. */
  readonly user?: { readonly id: number } | undefined
}

/** The bot itself, as `getMe` returns it. */
export interface Me {
  readonly id: number
  readonly username: string
}
