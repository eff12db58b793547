import { threadParts } from '../format/asker.ts'
import { Badge } from './badge.tsx'
import { texts } from './texts.ts'

/**
 * The thread of a conversation, and the role whose rights apply in it, as a tag; nothing for the main thread without a
 * role.
 */
export function ThreadTag({ thread }: { readonly thread: string }) {
  const { name, role } = threadParts(thread)
  return (
    <>
      {name !== undefined && (
        <span className="text-muted truncate font-normal" title={texts.thread(name)}>
          #{name}
        </span>
      )}
      {role !== undefined && (
        <span title={texts.role(role)}>
          <Badge>{role}</Badge>
          <span className="sr-only"> {texts.role(role)}</span>
        </span>
      )}
    </>
  )
}
