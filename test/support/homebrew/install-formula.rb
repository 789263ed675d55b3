# Runs what `brew install --build-from-source` runs of a formula: `ruby install-formula.rb FORMULA ARCHIVE PREFIX`. It unpacks
# the archive, calls `install`, sets the permissions of the keg as Homebrew's cleaner does, writes a receipt and links the keg.
# The methods do what https://docs.brew.sh/rubydoc/Formula and https://docs.brew.sh/rubydoc/Pathname say of them.
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

formula_path, archive, prefix = ARGV
HOMEBREW_PREFIX = Pathname(prefix)

class Pathname
  # Moves files here; a hash names what they are called then.
  def install(*sources)
    each_named(sources) do |source, name|
      raise Errno::ENOENT, source.to_s unless source.exist? || source.symlink?

      mkpath
      FileUtils.mv source, join(name)
    end
  end

  # Links to files from here, relative as Homebrew does it.
  def install_symlink(*sources)
    each_named(sources) do |source, name|
      mkpath
      target = source.expand_path(realpath)
      FileUtils.ln_sf target.relative_path_from(realpath), join(name)
    end
  end

  # A script for each target, named as the target is.
  def write_exec_script(*targets)
    mkpath
    targets.flatten.each do |target|
      join(Pathname(target).basename).write "#!/bin/bash\nexec \"#{target}\" \"$@\"\n"
    end
  end

  # This path as a script that sets variables and runs the target.
  def write_env_script(target, arguments = nil, env)
    sets = env.map { |name, value| "#{name}=\"#{value}\" " }.join
    write "#!/bin/bash\n#{sets}exec \"#{target}\" #{Array(arguments).join(" ")} \"$@\"\n"
  end

  alias write_anyway write

  # Makes its directory, and refuses to replace a file.
  def write(content, **options)
    raise "Will not overwrite #{self}" if exist?

    dirname.mkpath
    write_anyway(content, **options)
  end

  private

  def each_named(sources)
    sources.flatten.each do |source|
      named = source.is_a?(Hash) ? source : { source => File.basename(source) }
      named.each { |from, name| yield Pathname(from), name }
    end
  end
end

module Utils
  # The output of a program, which has to succeed.
  def self.safe_popen_read(*command)
    output, status = Open3.capture2(*command.map(&:to_s))
    raise "#{command.join(" ")} failed: #{status}" unless status.success?

    output
  end
end

class Formula
  FIELDS = [:desc, :homepage, :url, :sha256, :license, :version].freeze

  class << self
    attr_reader :fields

    FIELDS.each do |field|
      define_method(field) { |value| (@fields ||= {})[field] = value }
    end

    # Must be a name: this machine's Node.js stands for it.
    def depends_on(name)
      raise "Unknown dependency #{name}" unless name == "node"
    end

    # Homebrew's own test runs after the installation, not in it.
    def test; end
  end

  attr_reader :version

  def initialize
    fields = self.class.fields
    @version = fields.fetch(:version) { fields.fetch(:url)[/v?(\d+\.\d+\.\d+)\.tar\.gz\z/, 1] }
  end

  def name = self.class.name.downcase
  def prefix = HOMEBREW_PREFIX/"Cellar"/name/version
  def bin = prefix/"bin"
  def libexec = prefix/"libexec"
  def share = prefix/"share"
  def man1 = share/"man/man1"
  def bash_completion = prefix/"etc/bash_completion.d"
  def zsh_completion = share/"zsh/site-functions"
  def fish_completion = share/"fish/vendor_completions.d"
  def opt_prefix = HOMEBREW_PREFIX/"opt"/name

  # Raises if the command fails, as Homebrew's does.
  def system(command, *arguments)
    Kernel.system(command.to_s, *arguments.map(&:to_s), exception: true)
  end
end

load formula_path
formula = Hookbell.new
formula.prefix.mkpath
Dir.mktmpdir("hookbell-") do |build|
  Kernel.system("tar", "-xzf", archive, "-C", build, exception: true)
  Dir.chdir(Dir.children(build).map { |child| File.join(build, child) }.fetch(0)) { formula.install }
end

# Nobody may write; what starts with "#!", or lies in bin, may be run.
formula.prefix.find do |path|
  next if path.symlink? || path.directory?

  runs = path.binread(2) == "#!" || path.dirname == formula.bin
  path.chmod(runs ? 0o555 : 0o444)
end
(formula.prefix/"INSTALL_RECEIPT.json").write "{}\n"

# Links every file of the keg, but those of libexec.
(HOMEBREW_PREFIX/"opt").mkpath
FileUtils.ln_s formula.prefix, formula.opt_prefix
%w[bin etc share].each do |part|
  (formula.prefix/part).find do |path|
    next if path.directory? && !path.symlink?

    (HOMEBREW_PREFIX/path.relative_path_from(formula.prefix)).dirname.install_symlink path
  end
end
