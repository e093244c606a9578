// The listener is part of the library below, which opens sign-in pages with it where the system has no sheet.
@_exported import IdentityKit
