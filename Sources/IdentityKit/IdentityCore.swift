@_exported import IdentityCore
