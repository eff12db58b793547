import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConfigChange } from '../../../../src/base/protocol/config-problem.ts'
import { call, type Problem } from '../../shared/api/operations.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { Loading, Trouble } from '../../shared/ui/states.tsx'
import { inWords } from './changes-in-words.ts'
import { LineDiff } from './line-diff.tsx'
import { texts } from './texts.ts'
import { useCheck } from './use-check.ts'
import { draft, useDraft } from './use-draft.ts'

interface SaveDialogProps {
  readonly file: string
  readonly onClose: () => void
}

/** Shows what saving would change, in words and line by line, before it happens. */
export function SaveDialog({ file, onClose }: SaveDialogProps) {
  const { text, base } = useDraft()
  const check = useCheck(text)
  const [problem, setProblem] = useState<Problem>()
  const [isSaving, setSaving] = useState(false)
  const tell = useNotices()
  const queries = useQueryClient()
  // Only a check of the present text counts here.
  const checked = check.data?.text === text ? check.data : undefined
  const refused = checked?.changes.some(({ dangerous }) => dangerous !== undefined) ?? false
  const maySave = checked !== undefined && checked.problems.length === 0 && !refused
  const save = async (): Promise<void> => {
    setSaving(true)
    try {
      await draft.saving(async (text, hash) => (await call('save_config', { text, hash })).hash)
      const waits = checked?.changes.some(({ needsRestart }) => needsRestart)
      tell(waits ? texts.savedButWaits : texts.saved)
      onClose()
    } catch (error) {
      setProblem(error as Problem)
      setSaving(false)
      if ((error as Problem).code === 'config_conflict') {
        tell(texts.nothingSaved)
        onClose()
      }
    }
    // After a conflict, this loads the file as it is now.
    await queries.invalidateQueries({ queryKey: ['get_config'] })
  }
  return (
    <Dialog title={texts.saveConfigYaml} onClose={onClose}>
      <div className="flex flex-col gap-3">
        {check.error && <Trouble problem={check.error} onRetry={() => void check.refetch()} />}
        {checked ? (
          <Changes changes={checked.changes} file={file} />
        ) : (
          !check.error && <Loading what={texts.whatItChanges} />
        )}
        {checked && checked.problems.length > 0 && <p className="text-bad">{texts.correctItsMistakesFirst}</p>}
        <LineDiff before={base?.text ?? ''} after={text} />
        {problem && <Trouble problem={problem} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{texts.keepEditing}</Button>
          <Button look="primary" disabled={!maySave || isSaving} onClick={() => void save()}>
            {isSaving ? texts.saving : texts.save}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

interface ChangesProps {
  readonly changes: readonly ConfigChange[]
  readonly file: string
}

function Changes({ changes, file }: ChangesProps) {
  if (changes.length === 0) return <p>{texts.onlyCommentsOrderOr}</p>
  return (
    <ul aria-label={texts.whatChanges} className="flex flex-col gap-1">
      {changes.map((change) => (
        <li key={change.key} className="wrap-anywhere">
          {inWords(change)} {change.needsRestart && <Badge tone="warn">{texts.needsARestart}</Badge>}
          {change.dangerous !== undefined && <p className="text-bad">{texts.notFromHereIt(change.dangerous, file)}</p>}
        </li>
      ))}
    </ul>
  )
}
