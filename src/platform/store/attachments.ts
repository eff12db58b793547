import type { Attachment } from '../../base/protocol/attachment.ts'
import type { Store } from './store.ts'

/** The contents of the files that came with messages. The turns' rows refer to them by their hash. */
export class Attachments {
  readonly #statements

  constructor(database: Store) {
    const files = `SELECT turns.session AS session, file.value ->> 'sha256' AS sha256, file.value ->> 'bytes' AS bytes,
        file.value ->> 'kind' AS kind, turns.accepted_at AS at
      FROM turns, json_each(turns.attachments) AS file WHERE turns.attachments IS NOT NULL`
    const ofSession = '(SELECT id FROM team_sessions WHERE session_id = ?1)'
    this.#statements = {
      add: database.prepare('INSERT OR IGNORE INTO attachment_contents (sha256, content) VALUES (?, ?)'),
      content: database.prepare('SELECT content FROM attachment_contents WHERE sha256 = ?'),
      total: database.prepare('SELECT COALESCE(SUM(octet_length(content)), 0) AS total FROM attachment_contents'),
      shown: database.prepare(
        `SELECT COALESCE(SUM(bytes), 0) AS total FROM (${files} AND turns.session = ?1) WHERE kind <> 'file' AND at >
           COALESCE((SELECT MAX(at) FROM compactions WHERE session = ?1 AND failure IS NULL), 0)`,
      ),
      forget: database.prepare(
        `UPDATE turns SET attachments =
           (SELECT json_group_array(json_remove(file.value, '$.sha256')) FROM json_each(turns.attachments) AS file)
         WHERE attachments IS NOT NULL AND session IN ${ofSession}`,
      ),
      sweep: database.prepare(
        `DELETE FROM attachment_contents WHERE sha256 NOT IN (SELECT sha256 FROM (${files}) WHERE sha256 IS NOT NULL)`,
      ),
    }
  }

  /** Part of the transaction that accepts the turn. */
  add(sha256: string, content: Uint8Array): void {
    this.#statements.add.run(sha256, content)
  }

  /** Undefined if the content was deleted, or lost with a damaged store. */
  content({ sha256 }: Pick<Attachment, 'sha256'>): Buffer | undefined {
    const found = sha256 === undefined ? undefined : this.#statements.content.get(sha256)
    return found && Buffer.from(found['content'] as Uint8Array)
  }

  /** The size of all contents, in bytes. */
  total(): number {
    return Number(this.#statements.total.get()?.['total'])
  }

  /** Bytes of the pictures and documents that the model sees in a conversation, that is, since its last compaction. */
  shownIn(session: number): number {
    return Number(this.#statements.shown.get(session)?.['total'])
  }

  /** Deletes the contents of a conversation's files, except those that other conversations also use. */
  forget(sessionId: string): void {
    this.#statements.forget.run(sessionId)
    this.#statements.sweep.run()
  }
}
