import { Link } from '@tanstack/react-router'
import { Screen } from '../shared/ui/screen.tsx'
import { Empty } from '../shared/ui/states.tsx'
import { texts } from './texts.ts'

export function NotFound() {
  return (
    <Screen title={texts.nothingHere}>
      <Empty title={texts.thisPageDoesNot}>
        <Link to="/" className="text-accent underline">
          {texts.goToTheInbox}
        </Link>
      </Empty>
    </Screen>
  )
}
