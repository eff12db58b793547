import { Button } from '../../shared/ui/button.tsx'
import { draft, useDraft } from './use-draft.ts'

const box = 'bg-panel flex flex-wrap items-center gap-2 rounded-lg border p-3'

/** A file that somebody else has changed meanwhile, and a text that was put aside: nothing typed is lost. */
export function DraftNotes() {
  const { theirs, aside } = useDraft()
  return (
    <>
      {theirs && (
        <div role="alert" className={`${box} border-warn/50`}>
          <p className="min-w-0 flex-[1_1_16rem]">
            <strong className="text-warn">config.yaml has changed since you began.</strong> Your text is below; where it
            differs, their lines stand above yours, with a choice at each. Then go on, and save.
          </p>
          <Button onClick={() => draft.giveUp()}>Take theirs</Button>
          <Button look="primary" onClick={() => draft.settle()}>
            Go on with my text
          </Button>
        </div>
      )}
      {aside !== undefined && (
        <div role="status" className={`${box} border-line`}>
          <p className="min-w-0 flex-[1_1_16rem]">The text that you typed was kept.</p>
          <Button onClick={() => draft.forget()}>Forget it</Button>
          <Button onClick={() => draft.bringBack()}>Restore it</Button>
        </div>
      )}
    </>
  )
}
