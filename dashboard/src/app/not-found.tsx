import { Link } from '@tanstack/react-router'
import { Screen } from '../shared/ui/screen.tsx'
import { Empty } from '../shared/ui/states.tsx'

export function NotFound() {
  return (
    <Screen title="Nothing here">
      <Empty title="This page does not exist.">
        <Link to="/" className="text-accent underline">
          Go to the inbox
        </Link>
      </Empty>
    </Screen>
  )
}
