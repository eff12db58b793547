import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function PermissionsScreen() {
  return (
    <Screen title="Permissions">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
