import IdentityTool

await IdentityTool.main()
