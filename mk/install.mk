# make install, make uninstall. PREFIX is where things are used, DESTDIR a folder in front of it for packages.

BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
COMPDIR    ?= $(DATADIR)/bash-completion/completions
ZSHDIR     ?= $(DATADIR)/zsh/site-functions
FISHDIR    ?= $(DATADIR)/fish/vendor_completions.d
INSTALL    ?= install

STRIP      ?= strip

pythondirs := $(wildcard python/gantry)
pkglibs    := $(extlibs) $(if $(findstring clang,$(CC)),-lomp,-lgomp) -ldl -lm $(if $(filter 1,$(CUDA)),-L$(CUDALIB) -lcudart_static -lstdc++ -lpthread -lrt)

# install-files takes the build as it is; install-strip leaves out what only a debugger reads.
.PHONY: install-files install-strip
install: install-files
install-strip: install-files
	$(STRIP) $(DESTDIR)$(BINDIR)/gantry $(DESTDIR)$(LIBEXECDIR)/gantry/.commands
	$(STRIP) --strip-unneeded $(DESTDIR)$(LIBDIR)/libgantry.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libgantry.a
	for t in $(TOOLS); do ln -f $(DESTDIR)$(LIBEXECDIR)/gantry/.commands $(DESTDIR)$(LIBEXECDIR)/gantry/$$t || exit 1; done

install-files: $(if $(filter install install-strip,$(MAKECMDGOALS)),all)
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -d $(DESTDIR)$(COMPDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	$(INSTALL) -d $(DESTDIR)$(LIBEXECDIR)/gantry $(DESTDIR)$(DATADIR)/gantry/matlab $(DESTDIR)$(DATADIR)/gantry/python
	$(INSTALL) -m 755 $(O)/bin/gantry $(DESTDIR)$(BINDIR)/gantry
	$(INSTALL) -m 755 $(commands) $(DESTDIR)$(LIBEXECDIR)/gantry/.commands
	for t in $(TOOLS); do ln -f $(DESTDIR)$(LIBEXECDIR)/gantry/.commands $(DESTDIR)$(LIBEXECDIR)/gantry/$$t || exit 1; done
	for m in $(mpis); do $(INSTALL) -m 644 $(O)/lib/mpi-$$m.so $(DESTDIR)$(LIBEXECDIR)/gantry/ || exit 1; done
	$(INSTALL) -m 644 $(O)/bin/commands.tsv $(DESTDIR)$(LIBEXECDIR)/gantry/
	$(O)/bin/gantry --man > $(DESTDIR)$(MANDIR)/man1/gantry.1
	for t in $(TOOLS); do $(O)/bin/$$t --man > $(DESTDIR)$(MANDIR)/man1/gantry-$$t.1 || exit 1; done
	scripts/completion $(O) bash > $(DESTDIR)$(COMPDIR)/gantry
	scripts/completion $(O) zsh > $(DESTDIR)$(ZSHDIR)/_gantry
	scripts/completion $(O) fish > $(DESTDIR)$(FISHDIR)/gantry.fish
	$(INSTALL) -m 644 LICENSE $(DESTDIR)$(DATADIR)/gantry/LICENSE
	$(INSTALL) -m 644 $(PUBLIC).a $(DESTDIR)$(LIBDIR)/libgantry.a
	$(INSTALL) -m 755 $(PUBLIC).so $(DESTDIR)$(LIBDIR)/libgantry.so.$(VERSION)
	ln -sf libgantry.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libgantry.so.$(SOVERSION)
	ln -sf libgantry.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libgantry.so
	$(INSTALL) -D -m 644 include/gantry.h $(DESTDIR)$(INCLUDEDIR)/gantry.h
	for f in $(wildcard matlab/*.m matlab/private/*.m); do $(INSTALL) -D -m 644 $$f $(DESTDIR)$(DATADIR)/gantry/$$f || exit 1; done
	for f in $(wildcard python/*.toml python/*.md $(pythondirs:%=%/*.py)); do \
		$(INSTALL) -D -m 644 $$f $(DESTDIR)$(DATADIR)/gantry/$$f || exit 1; done
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' 'Name: gantry' \
		'Description: Computed tomography: arrays, operators, algorithms' 'Version: $(VERSION)' \
		'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lgantry' 'Libs.private: $(strip $(pkglibs))' \
		> $(DESTDIR)$(LIBDIR)/pkgconfig/gantry.pc

# The folders called gantry are ours altogether; of the others only our files go.
uninstall:
	rm -rf $(DESTDIR)$(LIBEXECDIR)/gantry $(DESTDIR)$(DATADIR)/gantry
	rm -f $(DESTDIR)$(BINDIR)/gantry $(DESTDIR)$(INCLUDEDIR)/gantry.h $(DESTDIR)$(COMPDIR)/gantry $(DESTDIR)$(ZSHDIR)/_gantry
	rm -f $(DESTDIR)$(FISHDIR)/gantry.fish $(DESTDIR)$(LIBDIR)/pkgconfig/gantry.pc
	rm -f $(DESTDIR)$(LIBDIR)/libgantry.a $(DESTDIR)$(LIBDIR)/libgantry.so $(DESTDIR)$(LIBDIR)/libgantry.so.*
	rm -f $(DESTDIR)$(MANDIR)/man1/gantry.1 $(DESTDIR)$(MANDIR)/man1/gantry-*.1
