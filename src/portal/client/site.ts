import './site/copy.ts'
import './site/offline.ts'
import './site/once.ts'
import './site/place.ts'
