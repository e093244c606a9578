@_exported import IdentityKit
