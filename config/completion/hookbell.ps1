# hookbell: completion for PowerShell
Register-ArgumentCompleter -Native -CommandName hookbell -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text.Trim('"', "'") })
    # Older versions hand on no empty word, so that the one being typed is given apart.
    hookbell complete "--last=$wordToComplete" -- @words 2>$null |
        Where-Object { -not $_.StartsWith(':') } |
        ForEach-Object {
            $value, $description = $_ -split "`t", 2
            if (-not $description) { $description = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
}
