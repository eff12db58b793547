import { type FormEvent, useState } from 'react'
import type { Problem } from '../../shared/api/operations.ts'
import { pairTitle } from '../../shared/format/asker.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { Trouble } from '../../shared/ui/states.tsx'
import type { Session } from './changes.ts'
import { lossesOf } from './losses.ts'
import { texts } from './texts.ts'
import { perform, type Verb } from './verbs.ts'

interface VerbDialogProps {
  readonly verb: Verb
  /** The session in its present state. When the state changes, the dialog updates what would be lost. */
  readonly session: Session
  readonly onClose: () => void
}

export function VerbDialog({ verb, session, onClose }: VerbDialogProps) {
  const [deleteTranscripts, setDeleteTranscripts] = useState(false)
  const [newThread, setNewThread] = useState('')
  const [isWorking, setWorking] = useState(false)
  const [problem, setProblem] = useState<Problem | Error>()
  const tell = useNotices()
  // The verbs apply to a pair, which may have another conversation by now.
  const isOver = session.status === 'archived'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setWorking(true)
    perform(verb, session, { deleteTranscripts, newThread: newThread.trim() }).then(
      (answer) => {
        tell(answer)
        onClose()
      },
      (error: Problem | Error) => {
        setProblem(error)
        setWorking(false)
      },
    )
  }
  return (
    <Dialog title={texts.verbFor(texts.verbs[verb], pairTitle(session))} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <ul className="flex list-disc flex-col gap-1 pl-5" aria-label={texts.whatHappens}>
          {(isOver ? [texts.archivedMeanwhile] : lossesOf(verb, session)).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        {verb === 'delete' && (
          <label className="flex items-start gap-2">
            <input
              type="checkbox"
              className="mt-0.5"
              checked={deleteTranscripts}
              onChange={(event) => setDeleteTranscripts(event.target.checked)}
            />
            <span>{texts.deleteItsTranscriptsToo}</span>
          </label>
        )}
        {verb === 'fork' && (
          <label className="flex flex-col gap-1">
            {texts.threadOfTheNew}
            <input
              required
              data-first
              maxLength={100}
              value={newThread}
              onChange={(event) => setNewThread(event.target.value)}
              className="border-line bg-page rounded-md border px-2 py-1"
            />
          </label>
        )}
        {problem && <Trouble problem={problem} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button data-first={verb !== 'fork' || undefined} onClick={onClose}>
            {texts.leave}
          </Button>
          <Button type="submit" look={verb === 'fork' ? 'primary' : 'danger'} disabled={isWorking || isOver}>
            {isWorking ? texts.working : texts.verbs[verb]}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
