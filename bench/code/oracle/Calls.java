// What javac takes each call of a project to mean: java Calls.java ROOT < paths
//
// One line of JSON per call, as calls.mjs prints them; a constructor is told by its class. Calls
// that javac cannot attribute, because a library is not at hand, are left out.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeKind;
import javax.tools.*;

public class Calls {
    public static void main(String[] given) throws IOException {
        Path root = Path.of(given[0]).toAbsolutePath().normalize();
        List<File> files = new BufferedReader(new InputStreamReader(System.in)).lines()
            .filter(one -> !one.endsWith("module-info.java")).map(one -> root.resolve(one).toFile()).toList();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        JavacTask task = (JavacTask) compiler.getTask(null, manager, one -> {},
            List.of("-proc:none", "-Xmaxerrs", "0", "-XDshould-stop.ifError=FLOW"), null,
            manager.getJavaFileObjectsFromFiles(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Trees trees = Trees.instance(task);
        try (PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8")) {
            for (CompilationUnitTree unit : units) new Sites(root, unit, trees, out).scan(unit, null);
        }
    }

    static class Sites extends TreePathScanner<Void, Void> {
        final Path root;
        final CompilationUnitTree unit;
        final Trees trees;
        final PrintStream out;

        Sites(Path root, CompilationUnitTree unit, Trees trees, PrintStream out) {
            this.root = root;
            this.unit = unit;
            this.trees = trees;
            this.out = out;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
            Tree called = call.getMethodSelect();
            String name = called instanceof MemberSelectTree select
                ? select.getIdentifier().toString() : called.toString();
            print(name, call, trees.getElement(getCurrentPath()));
            return super.visitMethodInvocation(call, nothing);
        }

        @Override
        public Void visitNewClass(NewClassTree call, Void nothing) {
            Tree named = call.getIdentifier();
            Tree plain = named instanceof ParameterizedTypeTree of ? of.getType() : named;
            String name = plain instanceof MemberSelectTree select
                ? select.getIdentifier().toString() : plain.toString();
            Element element = trees.getElement(getCurrentPath());
            if (call.getClassBody() != null) element = trees.getElement(new TreePath(getCurrentPath(), named));
            print(name, named, element);
            return super.visitNewClass(call, nothing);
        }

        void print(String name, Tree at, Element element) {
            boolean written = trees.getSourcePositions().getEndPosition(unit, at) >= 0;
            if (!written || element == null || element.asType().getKind() == TypeKind.ERROR) return;
            Element meant = element.getKind() == ElementKind.CONSTRUCTOR ? element.getEnclosingElement() : element;
            if (meant.asType().getKind() == TypeKind.ERROR) return;
            TreePath path = trees.getPath(meant);
            String to = path == null ? "" : place(path, meant);
            out.printf("{\"path\":\"%s\",\"line\":%d,\"name\":\"%s\",\"to\":[%s]}%n",
                relative(unit), line(unit, at), name, to);
        }

        String place(TreePath path, Element meant) {
            CompilationUnitTree where = path.getCompilationUnit();
            long end = trees.getSourcePositions().getEndPosition(where, path.getLeaf());
            long body = path.getLeaf() instanceof MethodTree one && one.getBody() != null
                ? trees.getSourcePositions().getStartPosition(where, one.getBody()) : end - 1;
            long line = path.getLeaf() instanceof ClassTree
                ? line(where, path.getLeaf()) : where.getLineMap().getLineNumber(body);
            return String.format("[\"%s\",%d,\"%s\"]", relative(where), line, meant.getSimpleName());
        }

        long line(CompilationUnitTree where, Tree tree) {
            return where.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(where, tree));
        }

        String relative(CompilationUnitTree where) {
            return root.relativize(Path.of(where.getSourceFile().toUri())).toString().replace('\\', '/');
        }
    }
}
