import { Button } from '../../shared/ui/button.tsx'
import { texts } from './texts.ts'
import { draft, useDraft } from './use-draft.ts'

const box = 'bg-panel flex flex-wrap items-center gap-2 rounded-lg border p-3'

/** Notes that somebody else has changed the file meanwhile, or that a typed text was put aside and is not lost. */
export function DraftNotes() {
  const { theirs, aside } = useDraft()
  return (
    <>
      {theirs && (
        <div role="alert" className={`${box} border-warn/50`}>
          <p className="min-w-0 flex-[1_1_16rem]">
            <strong className="text-warn">{texts.configYamlHasChanged}</strong>
            {texts.yourTextIsBelow}
          </p>
          <Button onClick={() => draft.giveUp()}>{texts.takeTheirs}</Button>
          <Button look="primary" onClick={() => draft.settle()}>
            {texts.goOnWithMy}
          </Button>
        </div>
      )}
      {aside !== undefined && (
        <div role="status" className={`${box} border-line`}>
          <p className="min-w-0 flex-[1_1_16rem]">{texts.theTextThatYou}</p>
          <Button onClick={() => draft.forget()}>{texts.discardIt}</Button>
          <Button onClick={() => draft.bringBack()}>{texts.restoreIt}</Button>
        </div>
      )}
    </>
  )
}
